-- Expired entries of a scope are found without a look at the others.

CREATE INDEX memory_scope_expiry
    ON memory (tenant, subject, session, agent, pack_tenant, expires_at)
    WHERE expires_at IS NOT NULL;
CREATE INDEX memory_scope_turns
    ON memory (tenant, subject, session, agent, pack_tenant, expires_at_turn)
    WHERE expires_at_turn IS NOT NULL;
