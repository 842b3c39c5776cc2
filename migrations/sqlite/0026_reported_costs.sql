-- What the payload of a compile cost by its provider's usage, as JSON; null until that is reported.

ALTER TABLE compilations ADD COLUMN reported_cost TEXT;
