-- Rows of these tables were in sight of the transactions of all tenants; their statements named the tenant all
-- the same.

SELECT contexture_own('session_usage');
SELECT contexture_own('session_caches');
SELECT contexture_own('hour_usage');
SELECT contexture_own('usage_durations');
SELECT contexture_own('hook_responses');
