-- The words of memory entries as terms, and nothing counted beside them: what an entry is worth is
-- computed from its own text.

DROP TABLE memory_word_state;
DROP TABLE memory_words;
ALTER TABLE memory_terms DROP COLUMN times;
