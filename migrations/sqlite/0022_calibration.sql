-- Factors of sessions that are below half or above twice that of the model table came from reports that
-- were wrong. They are forgotten, with the number of their reports; the next report is the first.
--
-- Models of the operator's own table count as unknown here: at worst a factor is learnt again.

UPDATE sessions SET measured = (
    SELECT json_group_array(json(
        CASE WHEN factor IS NULL OR factor * 2 BETWEEN known AND known * 4 THEN value
        ELSE json_set(value, '$.factor_milli', NULL, '$.reports', 0) END))
    FROM (
        SELECT value, json_extract(value, '$.factor_milli') AS factor,
            CASE
                WHEN json_extract(value, '$.model') LIKE 'claude-%' THEN 1200
                WHEN json_extract(value, '$.model') = 'anthropic' THEN 1200
                WHEN json_extract(value, '$.model') LIKE 'gemini%' THEN 1050
                WHEN json_extract(value, '$.model') LIKE 'gpt-%' THEN 1000
                WHEN json_extract(value, '$.model') LIKE 'chatgpt-%' THEN 1000
                WHEN json_extract(value, '$.model') LIKE 'codex-%' THEN 1000
                WHEN json_extract(value, '$.model') LIKE 'o_' THEN 1000
                WHEN json_extract(value, '$.model') LIKE 'o_-%' THEN 1000
                WHEN json_extract(value, '$.model') IN
                    ('openai', 'openai_responses', 'neutral', 'bytes4') THEN 1000
                ELSE 1100
            END AS known
        FROM json_each(measured) ORDER BY key))
WHERE measured <> '[]';
