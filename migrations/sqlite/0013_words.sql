-- The words of memory entries as terms that the program makes, each of them with its tenant. They are
-- made anew for what is stored already.

DROP TABLE memory_words;
CREATE VIRTUAL TABLE memory_words USING fts5 (
    words, content = '', contentless_delete = 1, detail = 'none', tokenize = 'ascii'
);
