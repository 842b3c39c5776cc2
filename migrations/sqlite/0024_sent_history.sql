-- What a session has sent to models that bind their thinking to the bytes before it: the hashes of
-- payloads, and the blocks that stay where they were put. JSON, as `SentHistory`.

ALTER TABLE sessions ADD COLUMN sent TEXT NOT NULL DEFAULT '{}';
