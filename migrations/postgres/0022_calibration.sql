-- Factors of sessions that are below half or above twice that of the model table came from reports that
-- were wrong. They are forgotten, with the number of their reports; the next report is the first.
--
-- Models of the operator's own table count as unknown here: at worst a factor is learnt again.

UPDATE sessions SET measured = (
    SELECT jsonb_agg(
        CASE WHEN factor IS NULL OR factor * 2 BETWEEN known AND known * 4 THEN value
        ELSE value || '{"factor_milli": null, "reports": 0}' END ORDER BY place)::text
    FROM (
        SELECT value, place, CAST(value ->> 'factor_milli' AS BIGINT) AS factor,
            CASE
                WHEN value ->> 'model' LIKE 'claude-%' THEN 1200
                WHEN value ->> 'model' = 'anthropic' THEN 1200
                WHEN value ->> 'model' LIKE 'gemini%' THEN 1050
                WHEN value ->> 'model' LIKE 'gpt-%' THEN 1000
                WHEN value ->> 'model' LIKE 'chatgpt-%' THEN 1000
                WHEN value ->> 'model' LIKE 'codex-%' THEN 1000
                WHEN value ->> 'model' LIKE 'o_' THEN 1000
                WHEN value ->> 'model' LIKE 'o_-%' THEN 1000
                WHEN value ->> 'model' IN
                    ('openai', 'openai_responses', 'neutral', 'bytes4') THEN 1000
                ELSE 1100
            END AS known
        FROM jsonb_array_elements(measured::jsonb) WITH ORDINALITY AS each (value, place)) AS own)
WHERE measured <> '[]';
