// The shapes of requests and responses.
//
// Generated from openapi.yaml by scripts/generate.mjs; changes here are lost.

export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The console
         * @description Usage, sessions, records and a playground, live.
         */
        get: operations["get_root"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/adapters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the adapters
         * @description Built-in ones first, in the order in which texts are offered to them, then your own by name.
         */
        get: operations["list_adapters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/adapters/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an adapter
         * @description Your own with its definition as it was given; a built-in one by its name alone.
         */
        get: operations["get_adapter"];
        /**
         * Store an adapter
         * @description The body is its definition; `name` in it may be absent. Under the name of a built-in one it
         *     replaces it, wherever that is meant.
         */
        put: operations["put_adapter"];
        post?: never;
        /**
         * Delete an adapter
         * @description A built-in one of the same name is back from then on.
         */
        delete: operations["delete_adapter"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/adapters/{name}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try an adapter
         * @description On one text, by itself: whether it takes it, and what it leaves. With a `definition`, that one
         *     is tried and nothing is stored.
         */
        post: operations["test_adapter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Offload a text
         * @description A text above the threshold is stored; the response has a marker to put in its place: its
         *     beginning and its end, cut at the borders of lines, and its id. The same text gives the same
         *     marker. A shorter text is returned as it is, and nothing is stored. The body is JSON, or the
         *     text itself as `text/plain` with the options in the query.
         */
        post: operations["create_artifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/artifacts/cleanup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Clean up now
         * @description Evicts artifacts that are too old, then the least recently read ones, until count and bytes
         *     are within the caps. A cap that is absent is the setting's; the server does the same from
         *     time to time. The body may be empty.
         */
        post: operations["clean_up_artifacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/artifacts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an artifact
         * @description The text as it was stored, byte for byte; or some of its lines, or those that hold some
         *     words. `Range`, `If-Range` and `If-None-Match` are understood.
         */
        get: operations["get_artifact"];
        put?: never;
        post?: never;
        /**
         * Delete an artifact
         * @description Its text is gone for good; a marker that names it leads nowhere from then on.
         */
        delete: operations["delete_artifact"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/compilations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List compilations
         * @description The records of compiles, newest first. `record` in a compile's request says what is kept of it. A page
         *     looks at 5,000 records at most, so one with a filter may be shorter than `limit`, or empty, and still
         *     have a `next_cursor`.
         */
        get: operations["list_compilations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/compilations/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare two compilations
         * @description Tells the first stage in which they parted, and what from outside it was given that was not the
         *     same.
         */
        post: operations["compare_compilations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/compilations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a compilation
         * @description The record of a compile: its ledger, its report, what it stored, and of a record in full the
         *     request and the payload. With `explain=full` also what happened to each message. A browser that
         *     opens the address gets the console, which shows the record to a caller who is signed in.
         */
        get: operations["get_compilation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/compilations/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a compilation
         * @description Compiles once more with what reached the first compile from outside, calls nothing, stores
         *     nothing, and compares stage by stage. Of a record that holds hashes alone the request is sent
         *     again. A payload that is not the same is an answer, not an error.
         */
        post: operations["replay_compilation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/compile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compile a conversation
         * @description Answers the payload to send to the provider next: inside the token budget, in the provider's
         *     own shape, with a report of every decision. Nothing but `messages` and `target` is needed;
         *     under a pack, the text of its request may replace `messages`.
         *     The header `Server-Timing` tells where the time went.
         */
        post: operations["compile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/compress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compress messages or a text
         * @description Answers in the shape it came in, so that it drops into an existing loop. Without a level and a
         *     budget nothing is lost: what is shown decodes to the original. `POST /expand` gives the
         *     originals back.
         */
        post: operations["compress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who is signed in
         * @description By the cookie or by a key: scopes decide what the console shows. A server that needs no key
         *     returns one without.
         */
        get: operations["get_console_session"];
        put?: never;
        /**
         * Sign a browser in
         * @description Exchanges the key of `authorization` for a cookie, which scripts cannot read and browsers send with
         *     requests of the same site only. It replaces the key for twelve hours, or until the key is revoked.
         *     With the cookie, a request that changes something needs the header `contexture-csrf` with
         *     `csrf_token`.
         */
        post: operations["create_console_session"];
        /**
         * Sign a browser out
         * @description The cookie is worth nothing afterwards, on every node.
         */
        delete: operations["delete_console_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A file of the console */
        get: operations["get_console_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deliveries/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a delivery again
         * @description One that was given up begins again; one that waits for its next attempt gets it at once.
         */
        post: operations["retry_delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The API reference */
        get: operations["get_docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The API reference as a page */
        get: operations["get_docs_page"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/guide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The guide */
        get: operations["get_guide"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/guide/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The first page of the guide
         * @description The documentation of this version with a search, which needs nothing from elsewhere.
         */
        get: operations["get_guide_page"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/guide/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A file of the guide */
        get: operations["get_guide_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A file of the API reference */
        get: operations["get_docs_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read events
         * @description As they come, as server-sent events: `id` is the event's number, `event` its type, `data` the
         *     event as JSON. A reader that comes back with `Last-Event-ID` misses none and gets none twice; where
         *     some are no longer kept, `stream:gap` says which. With `format=json`, a page of those that
         *     happened. Events hold ids and counts, never content.
         */
        get: operations["read_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/ticket": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a ticket for a stream
         * @description `GET /events?ticket=…` is served with it in the place of a key, once, within thirty seconds, at any
         *     node: a browser's `EventSource` sends no headers. The stream ends when the key does.
         */
        post: operations["create_event_ticket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/expand": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give the originals back
         * @description For messages that `/compress` answered, for an answer by its id, or for one artifact. What
         *     cannot be restored is passed through and listed.
         */
        post: operations["expand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether to send work here, for a gateway
         * @description 200 in either case, as its clients expect. `GET /readyz` tells more.
         */
        get: operations["get_gateway_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process lives
         * @description Returns 200 as long as the server serves requests at all.
         */
        get: operations["get_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hook-order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the order of hooks
         * @description As it was given, and as it comes out: by kind, priority, this list, and id.
         */
        get: operations["get_hook_order"];
        /**
         * Set the order of hooks
         * @description Hooks that are listed at a point run before those that are not, where kind and priority are the
         *     same. What a session says of a point replaces what is said for all.
         */
        put: operations["put_hook_order"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hook-points": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the hook points
         * @description The kinds that each point allows, what a call carries there, and what a hook returns.
         */
        get: operations["list_hook_points"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the hooks
         * @description In the byte order of their ids; those of the operator's file are among them.
         */
        get: operations["list_hooks"];
        put?: never;
        /**
         * Register a hook
         * @description From the next request on it is asked at its points. What its calls are signed with is in the
         *     answer, and nowhere else.
         */
        post: operations["create_hook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a hook that is not registered
         * @description The same, of the hook in the body. Its call is signed with `secret`, or with one that the answer
         *     shows.
         */
        post: operations["test_new_hook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a hook */
        get: operations["get_hook"];
        /**
         * Register or replace a hook
         * @description All of a hook that is there is replaced, but its secret stays unless another one is given. A hook
         *     that is there as given stays as it is, with its revision.
         */
        put: operations["put_hook"];
        post?: never;
        /**
         * Delete a hook
         * @description Requests that are under way still ask it.
         */
        delete: operations["delete_hook"];
        options?: never;
        head?: never;
        /**
         * Change a hook
         * @description What is absent stays as it is; null takes it away. Requests that are under way go on with the
         *     hook as it was. Where `url` names another server, headers have to be given again.
         */
        patch: operations["update_hook"];
        trace?: never;
    };
    "/hooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was queued for a hook
         * @description The newest first, each with its attempts. What was dealt with is shown for a week. Content is
         *     not shown.
         */
        get: operations["list_hook_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/{id}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare a hook with a definition
         * @description Tells what `PUT /hooks/{id}` would change with the same body, and changes nothing. Of the path of a
         *     URL, the values of headers and the secret, it tells that they change and not what they are.
         */
        post: operations["diff_hook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a hook another secret
         * @description Its calls carry two signatures until the old secret's time is over, so that the receiver can
         *     change over in between. The body may be empty.
         */
        post: operations["rotate_hook_secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a hook
         * @description Calls it once with an input of its point, or the one that the body gives, and tells what went
         *     over the wire and what would have come of it. Nothing is applied or stored; the call says
         *     `"test": true`. The body may be empty.
         */
        post: operations["test_hook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inventory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a session carries
         * @description Tools of the newest recorded request with the tokens of their definitions and how often they were called
         *     in the newest turns; and the skills and memory entries that the newest records have, each with its tokens
         *     and how often the model's messages used it. What has no call and no use is carried for nothing, and a request
         *     without it saves its tokens. Tools and uses need a record in full. A session that the gateway made (`gws_…`)
         *     has an inventory as long as its records are kept.
         */
        get: operations["get_inventory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys
         * @description Of your tenant, in the order of their ids; those that were revoked are not among them.
         */
        get: operations["list_keys"];
        put?: never;
        /**
         * Make a key
         * @description Its text is in the answer, and nowhere else: of a key the server keeps a hash. From the first
         *     key on every caller needs one. A key holds no scope that its maker's lacks.
         */
        post: operations["create_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key
         * @description It is dead at once here, and within five seconds everywhere.
         */
        delete: operations["delete_key"];
        options?: never;
        head?: never;
        /**
         * Change a key
         * @description What is absent stays as it is; null takes it away. Heeded everywhere within five seconds.
         */
        patch: operations["update_key"];
        trace?: never;
    };
    "/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Speak MCP
         * @description One JSON-RPC message of the Model Context Protocol (streamable HTTP, without sessions). The tools
         *     are `context_read`, `memory_create`, `memory_modify`, `memory`, `memory_recall`, `compress` and `expand`,
         *     as far as the key's scopes go.
         */
        post: operations["speak_mcp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/memory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List entries
         * @description Those that are not expired, in the byte order of their keys. An empty `subject`, `session_id`,
         *     `agent` or `pack_tenant` returns entries that have none. A page looks at 5,000 entries at most, so one
         *     with a filter may be shorter than `limit`, or empty, and still have a `next_cursor`. With `format=jsonl` each entry is a line, as
         *     `POST /memory/import` takes it, and all of them come unless `limit` is given; then
         *     `Contexture-Next-Cursor` tells where the list goes on.
         */
        get: operations["list_memory"];
        put?: never;
        /**
         * Add, replace or remove an entry
         * @description `store_memory` as PraisonAI has it: its actions, its types and its words. What is added gets a
         *     key where none is given; the answer names it.
         */
        post: operations["store_memory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/memory-candidates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List candidates
         * @description In the order in which they came; with `state=in_review`, the queue of the reviewers.
         */
        get: operations["list_candidates"];
        put?: never;
        /**
         * Propose a fact
         * @description It is captured for good, checked against what is known, and sent where the checks lead: to a
         *     review, or into memory where the policy asks for none. With `revises`, the pending candidate of
         *     that id is proposed again; that needs `If-Match`.
         */
        post: operations["propose_candidate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/memory-candidates/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See the outcome of candidates
         * @description A line a step, in order. Each carries the hash of the line before; with `verify=1` this log and
         *     that of the captures are followed from end to end.
         */
        get: operations["list_candidate_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/memory-candidates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a candidate */
        get: operations["get_candidate"];
        put?: never;
        post?: never;
        /**
         * Delete a candidate
         * @description Its row goes, and the content of its captures. The log keeps its lines and gets a last one,
         *     `deleted`; it still verifies. A memory entry that was made of the candidate stays.
         */
        delete: operations["delete_candidate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/memory-candidates/{id}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Promote a candidate
         * @description An approved candidate becomes a memory entry. Where an entry says otherwise, `resolution` must
         *     say what becomes of it.
         */
        post: operations["promote_candidate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/memory-candidates/{id}/review": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Review a candidate
         * @description By somebody who did not propose it and is no agent. `approve` lets it be promoted, `reject` is
         *     remembered, `request_changes` sends it back.
         */
        post: operations["review_candidate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/memory/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import entries
         * @description A line of JSON an entry: `key` next to what a `PUT` takes, or what a list answers. None is stored if a
         *     line has a fault or the quota has no room for all. They are stored in parts: if the request ends early,
         *     the first of them are there, and the same request stores the rest.
         */
        post: operations["import_memory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/memory/recall": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See what memory would show
         * @description The recall of a compile by itself, with the reasons for each entry. Nothing is changed.
         */
        post: operations["recall_memory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/memory/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an entry */
        get: operations["get_memory"];
        /**
         * Store an entry
         * @description Under its key in its scope; over the entry that is there, whose other members stay. With
         *     `If-Match`, only over that version; with `If-None-Match: *`, only where there is none.
         */
        put: operations["put_memory"];
        post?: never;
        /**
         * Delete an entry
         * @description With all its versions, for good.
         */
        delete: operations["delete_memory"];
        options?: never;
        head?: never;
        /**
         * Change an entry
         * @description What the body does not say stays as it is; null takes it away, or makes it as usual.
         */
        patch: operations["patch_memory"];
        trace?: never;
    };
    "/memory/{key}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Promote an entry
         * @description Accepts an entry that a model captured, so that compiles under a pack recall it. The body may be
         *     empty.
         */
        post: operations["promote_memory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/memory/{key}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a version of an entry
         * @description The entry is what it was then; that is a new version of it.
         */
        post: operations["restore_memory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/memory/{key}/retract": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retract an entry
         * @description It is no longer recalled. It can still be read, and restored. The body may be empty.
         */
        post: operations["retract_memory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/memory/{key}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of an entry
         * @description The newest first; the last hundred are kept.
         */
        get: operations["list_memory_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures for Prometheus */
        get: operations["get_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the models
         * @description The table that `model` in a request is looked up in: window, largest answer, tokenizer.
         */
        get: operations["list_models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description, as JSON */
        get: operations["get_openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/packs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the packs
         * @description Every version, by id and version.
         */
        get: operations["list_packs"];
        put?: never;
        /**
         * Publish a pack
         * @description The body is the document. A version that was published never changes: the same document again
         *     returns 200, another one under the same version is refused.
         */
        post: operations["publish_pack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/packs/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare two versions of a pack
         * @description Rules, gates, tools and permissions are told apart by their ids.
         */
        post: operations["diff_packs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/packs/lint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a pack
         * @description Every fault at once, with its code and its place. Nothing is stored.
         */
        post: operations["lint_pack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/packs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a pack's versions */
        get: operations["list_pack_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/packs/{id}/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a version of a pack
         * @description With the document as it was published.
         */
        get: operations["get_pack"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/packs/{id}/{version}/golden": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a golden set */
        get: operations["get_golden_set"];
        /**
         * Put a golden set
         * @description The compiles whose result a version of the pack has to reach again: records in full of compiles under
         *     it, at most 100. They are kept with the set, longer than the records. The list takes the place
         *     of the one before; what was in it needs no record any more.
         */
        put: operations["put_golden_set"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/packs/{id}/{version}/golden/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a golden set
         * @description Compiles each of the set once more under a version of the pack, with everything else from its
         *     record, and tells for each whether the result is the same, and where not. Nothing is called and
         *     nothing is stored.
         */
        post: operations["run_golden_set"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policy/evaluate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Evaluate a rule
         * @description One rule on one set of facts, as a compile does it: the value, and whether facts were missing
         *     for a comparison or a sum on the way.
         */
        post: operations["evaluate_rule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/problems": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The types of problems
         * @description A page for browsers, Markdown for everyone else.
         */
        get: operations["list_problems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/problems/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a type of problem means
         * @description A page for browsers, Markdown for everyone else.
         */
        get: operations["get_problem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether to send work here
         * @description Yes from the moment of listening until a stop begins. `degraded` where the store cannot be
         *     written: what needs no store goes on.
         */
        get: operations["get_readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description Those that have not expired, in the byte order of their ids.
         */
        get: operations["list_sessions"];
        put?: never;
        /**
         * Open a session
         * @description One begins with its first use in `/compile`, too; this gives it defaults before that. One of
         *     this id that is there is returned as it is.
         */
        post: operations["create_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a session */
        get: operations["get_session"];
        put?: never;
        post?: never;
        /**
         * Delete a session
         * @description With its memory, its messages, its snapshots and what it was sent, for good.
         */
        delete: operations["delete_session"];
        options?: never;
        head?: never;
        /**
         * Change a session
         * @description `defaults` are merged into those that are there (RFC 7396): what is absent stays, null takes
         *     away.
         */
        patch: operations["update_session"];
        trace?: never;
    };
    "/sessions/{id}/delegations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a delegation
         * @description An agent of the session handed a task to another, and this came of it. One report for each that
         *     it was handed to. Nothing of it is kept; the event is `delegation:recorded`.
         */
        post: operations["report_delegation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fork a session
         * @description Another one begins as this one is, or was at a snapshot, with a copy of its memory; both go on
         *     from there.
         */
        post: operations["fork_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a session
         * @description Makes it what a snapshot says, all of it: what the snapshot does not hold is gone. The snapshot
         *     is one that is kept here, or a document from here or elsewhere; a session that is not there yet
         *     begins so.
         */
        post: operations["restore_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a session's snapshots
         * @description In the order in which they were taken.
         */
        get: operations["list_snapshots"];
        put?: never;
        /**
         * Take a snapshot
         * @description Of everything that decides the session's next compile: defaults, memory, messages, turns,
         *     compaction points, calibration.
         */
        post: operations["take_snapshot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/switch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on in another session
         * @description With all that this one holds, its memory moved; or, with `reset`, with nothing of it, and this
         *     one stays as it is. Defaults and time to live go along in either case. A session of the new id
         *     that is there takes the memory and keeps all else.
         */
        post: operations["switch_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a session's timeline
         * @description A row for each compile of the session that is recorded, newest first: tokens by part, the budget, what
         *     the provider's cache can use, where the payload first changed and why, and what it cost. Requests
         *     through the gateway have rows, too; a session that the gateway made (`gws_…`) has them as long as its
         *     records are kept.
         */
        get: operations["get_session_timeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a turn
         * @description Appends what happened since to the session's messages, judges the model's calls in it and carries
         *     out those of our tools, and answers the next payload: all of it or nothing. The session keeps the
         *     conversation, so only what is new is sent. With `"compile": false` there is no payload: messages
         *     are appended while tools run whose results come in a later turn. A key needs both scopes, and `tools` or `memory:write`
         *     next to them where calls write memory.
         */
        post: operations["take_turn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report what the provider counted
         * @description The `usage` object of the answer to the session's last payload, as it came. From then on
         *     `tokens_after`, `fits` and the squeeze of the session's compiles for this model go by it;
         *     compaction points do not, so that no byte of the history moves for it. A report of fewer than
         *     1,000 tokens is not learnt from, and neither is one whose factor is below half or above twice
         *     that of the model table, which is a warning.
         */
        post: operations["report_usage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the settings in force
         * @description The flags of `contexture serve` on this node, with their values and where these are from. Secrets are
         *     not shown, nor are user names, passwords and parameters in addresses. Empty where the server was not
         *     started by `contexture serve`.
         */
        get: operations["list_settings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/skills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the skills
         * @description As JSON, or as a text for a model to choose from.
         */
        get: operations["list_skills"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/skills/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a skill */
        get: operations["get_skill"];
        /**
         * Store a skill
         * @description The body is its members as JSON, or a `SKILL.md` as `text/plain`. Under the name of one of a
         *     folder it takes its place.
         */
        put: operations["put_skill"];
        post?: never;
        /**
         * Delete a skill
         * @description One of a folder of the same name is back from then on.
         */
        delete: operations["delete_skill"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/skills/{name}/render": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Render a skill
         * @description Its instructions as a compile would place them, with what is given put in: `${NAME}` from
         *     `vars`; `$name`, `$0`, `$ARGUMENTS[0]` and `$ARGUMENTS` from `args`.
         */
        post: operations["render_skill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/snapshots/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a snapshot
         * @description All of it, as plain JSON that any server can restore.
         */
        get: operations["get_snapshot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what was saved, for a gateway
         * @description Sums of the caller's key since the beginning of the day in UTC: compiles, compressions and requests
         *     through the gateway. `GET /usage` has other days and other keys.
         */
        get: operations["get_gateway_stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count tokens
         * @description Counts a text, messages or tools as the model's provider would, framing included.
         */
        post: operations["count_tokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Handle the calls of a model
         * @description All calls of one assistant message, as the provider gave them. Those of our own tools are
         *     carried out: append their `message`. All others are yours to run.
         */
        post: operations["handle_calls"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the results of tools
         * @description Raw results become the messages to append, in the shape of `source`: long ones are cut, what is
         *     cut may be kept as an artifact, all are compressed. Send them on with the next compile.
         */
        post: operations["take_results"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what was used
         * @description Compiles and compressions, with their tokens and costs, by day, key and model; with
         *     `by=session` or `session_id` those of sessions, by session, day, key and model; with `by=hour` by
         *     hour, key and model, for the last 31 days. Compiles with `dry_run=true` are not counted. Counts are
         *     written every few seconds; the last ones are lost where the process is killed.
         */
        get: operations["list_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/compress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compress for a gateway
         * @description As headroom's clients and `LiteLLM`'s guardrail ask for it. What cannot be read, done or
         *     finished in time returns 200 with the messages as they came and a `skip_reason`.
         */
        post: operations["compress_for_gateway"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retrieve an original, by a body
         * @description The same, for clients that ask so.
         */
        post: operations["retrieve_by_body"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/retrieve/{hash}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an original
         * @description What `hash=` names in a message. With a query its lines, each as `number:line`: those that hold
         *     it, else those that hold all of its words, else any of them; all lines where none does.
         */
        get: operations["retrieve_original"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    after_compress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at after_compress
         * @description Called after a history shrank. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_after_compress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    before_compile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at before_compile
         * @description Called adds text to the end of the last user message, such as what a search found. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_before_compile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    before_compress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at before_compress
         * @description Called before an over-long history shrinks; a guard that denies leaves it as it is. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_before_compress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    cache_expiring: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at cache_expiring
         * @description Called before a session's prefix runs out in its provider's cache. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_cache_expiring"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    compress_format: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at compress_format
         * @description Called shortens a text of a format that only you know. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_compress_format"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    delegation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at delegation
         * @description Called after an agent handed a task to another one. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_delegation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at event
         * @description Called any event of the feed. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    memory_changed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at memory_changed
         * @description Called after a memory entry was set, deleted or expired. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_memory_changed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    memory_expired: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at memory_expired
         * @description Called after an expired memory entry was deleted. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_memory_expired"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    memory_update: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at memory_update
         * @description Called before a model's own write to memory, of a key that it may write. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_memory_update"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    recall_memory: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at recall_memory
         * @description Called chooses among stored memory entries, or adds others. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_recall_memory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    retrieve_evidence: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at retrieve_evidence
         * @description Called finds the evidence that a pack asks for. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_retrieve_evidence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    session_switch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at session_switch
         * @description Called when a conversation goes on in another session. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_session_switch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    summarize: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at summarize
         * @description Called writes the summary of the turns that leave the history. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_summarize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    tool_call: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at tool_call
         * @description Called before a tool call is carried out. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_tool_call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    tool_result: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at tool_result
         * @description Called a tool's result, when it is first seen. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_tool_result"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    transform_context: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hooks at transform_context
         * @description Called the complete list of messages before it becomes the provider's payload. Signed by Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
         */
        post: operations["on_transform_context"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description Messages of the history by what happened to them. */
        ActionCounts: {
            /** @description Messages that hooks added, which are none of the request's; absent if there are none. */
            added?: number;
            /** @description Changed by hooks; absent if none was. */
            changed?: number;
            /** @description Tool result or thinking cleared. */
            cleared: number;
            /** @description Shortened without loss. */
            compressed: number;
            /** @description Replaced by a reference to the same text earlier in the payload. */
            deduplicated: number;
            /** @description Messages that were left out. */
            dropped: number;
            /** @description Word for word. */
            kept: number;
            /** @description Removed by hooks; absent if none was. */
            removed?: number;
            /** @description Messages that the summary replaces. */
            summarized: number;
        };
        /** @enum {string} */
        ActorKind: "user" | "agent" | "service" | "automation";
        /** @description An adapter. The members after `builtin` are there for your own alone. */
        Adapter: {
            /** @description Whether it is part of the program. */
            builtin: boolean;
            /**
             * Format: date-time
             * @description When it was made: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            created_at?: string | null;
            definition?: components["schemas"]["AdapterDefinition"] | null;
            /**
             * @description What requests and reports call it.
             * @example ledger
             */
            name: string;
            /**
             * Format: date-time
             * @description When it was last changed: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            updated_at?: string | null;
            /**
             * Format: int64
             * @description From 1, one more with each other definition.
             */
            version?: number | null;
        };
        /**
         * @description A format adapter as data: which texts it takes, which of their lines stay, and how the rest is
         *     put next to them.
         * @example {
         *       "detect": {
         *         "min_lines": 3,
         *         "line_matches": {
         *           "1": ","
         *         },
         *         "min_share_of_lines": {
         *           "regex": ",",
         *           "share": 0.9
         *         }
         *       },
         *       "keep": [
         *         {
         *           "lines": "1"
         *         }
         *       ],
         *       "shrink": "rest",
         *       "join": "{kept}\n[{summary}]"
         *     }
         */
        AdapterDefinition: {
            /** @description Which texts it takes. */
            detect: components["schemas"]["AdapterDetect"];
            /** @description Holds `{kept}` and `{summary}` once each. The summary is of the lines that may go. If absent: `"{kept}\n{summary}"`. */
            join?: string | null;
            /** @description Lines that stay: `{"lines": "1"}`, `"2-5"` or `"-3"` for the last three, or `{"regex"}`. */
            keep?: components["schemas"]["JsonValue"][] | null;
            /**
             * @description What requests and reports call it; in a list of a request it must be there.
             * @example ledger
             */
            name?: string | null;
            /** @description `rest` for all lines that are not kept, or a list of `{"regex"}`: lines with a match. */
            shrink?: components["schemas"]["JsonValue"];
        };
        /** @description Which texts an adapter takes: those that meet every condition that is given. */
        AdapterDetect: {
            /** @description Patterns by the numbers of their lines. */
            line_matches?: components["schemas"]["JsonObject"] | null;
            /**
             * Format: int64
             * @description The least number of lines of the text.
             */
            min_lines?: number | null;
            min_share_of_lines?: components["schemas"]["AdapterLineShare"] | null;
            /** @description Stands somewhere in the text. */
            regex?: string | null;
        };
        /** @description So many of the lines match. */
        AdapterLineShare: {
            /** @description The pattern that lines must match. */
            regex: string;
            /**
             * Format: double
             * @description The share of the lines, from 0 to 1.
             */
            share: number;
        };
        /** @description Some of the adapters. */
        AdapterList: {
            /** @description The rows of this page. */
            items: components["schemas"]["AdapterRow"][];
            /** @description Where the list goes on; null at its end. */
            next_cursor?: string | null;
        };
        /** @description A row of the list: an adapter without its definition. */
        AdapterRow: {
            /** @description Whether it is part of the program. */
            builtin: boolean;
            /**
             * Format: date-time
             * @description When it was made: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            created_at?: string | null;
            /**
             * @description What requests and reports call it.
             * @example ledger
             */
            name: string;
            /** @description Of a built-in one: one of your own replaces it. */
            replaced?: boolean | null;
            /**
             * Format: date-time
             * @description When it was last changed: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            updated_at?: string | null;
            /**
             * Format: int64
             * @description From 1, one more with each other definition; absent for a built-in adapter.
             */
            version?: number | null;
        };
        /** @description What an adapter made of a text, by itself: `/compress` shortens what it leaves further. */
        AdapterTest: {
            /** @description Whether the adapter left something out. */
            changed: boolean;
            /** @description Whether the adapter takes the text, or a part of it. */
            detects: boolean;
            /** @description Lines that a definition keeps of a text that it takes as a whole. */
            kept_lines?: number | null;
            /** @description Whether its cuts broke the format, and were taken back. */
            reverted: boolean;
            /** @description What it leaves; the text as it came where `changed` is false. */
            text: string;
            /**
             * Format: int64
             * @description Tokens of `text`, counted with `o200k_base`.
             */
            tokens_after: number;
            /**
             * Format: int64
             * @description Counted with `o200k_base`.
             */
            tokens_before: number;
        };
        /**
         * @description A text to try an adapter on.
         * @example {
         *       "text": "id,item,note\n1,lamp,paid in cash\n2,chair,paid in cash\n"
         *     }
         */
        AdapterTestRequest: {
            definition?: components["schemas"]["AdapterDefinition"] | null;
            /** @description The text. */
            text: string;
        };
        /** @description The body of a call after a history shrank. */
        AfterCompressHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["AfterCompressHookInput"];
            /**
             * @description What the hook may do.
             * @constant
             */
            kind: "observe";
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "after_compress";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "summary": "The build failed in the linker.",
         *       "truncated_count": 1,
         *       "compressed_messages": [
         *         {
         *           "id": "m_1",
         *           "role": "user",
         *           "parts": [
         *             {
         *               "type": "text",
         *               "text": "Where does the build fail?"
         *             }
         *           ]
         *         }
         *       ],
         *       "tokens": {
         *         "before": 130000,
         *         "after": 60000
         *       },
         *       "actions": {
         *         "kept": 12,
         *         "compressed": 2,
         *         "deduplicated": 0,
         *         "cleared": 3,
         *         "summarized": 1,
         *         "dropped": 0
         *       }
         *     }
         */
        AfterCompressHookInput: {
            /** @description messages by what happened to them, as in the report */
            actions?: components["schemas"]["JsonObject"] | null;
            /** @description those messages */
            compressed_messages?: components["schemas"]["JsonValue"][] | null;
            /** @description the summary, or null */
            summary?: string | null;
            /** @description `{before, after}` of the payload */
            tokens?: components["schemas"]["JsonObject"] | null;
            /** @description messages that left the history */
            truncated_count?: number | null;
        };
        /** @enum {string} */
        AllowedNotations: "plain" | "computed" | "none";
        /** @description A payload for the Messages API of Anthropic. */
        AnthropicPayload: {
            /** @description The messages. */
            messages: components["schemas"]["JsonObject"][];
            /** @description System text as blocks. */
            system?: components["schemas"]["JsonObject"][] | null;
            /** @description The tools; absent if there are none. */
            tools?: components["schemas"]["JsonObject"][] | null;
        };
        /** @description A key, but for its text. */
        ApiKey: {
            /**
             * Format: date-time
             * @description When it was made: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            created_at: string;
            /** @description Null where there are none. */
            defaults?: components["schemas"]["JsonObject"] | null;
            /**
             * @description The first part of its text, after `cx_live_`.
             * @example f3Zk09mQv7LcX2aT
             */
            id: string;
            /** @description What uses the key. */
            kind: components["schemas"]["KeyKind"];
            /** @description How much the key may ask for. */
            limits: components["schemas"]["KeyLimits"];
            /** @description A name for people. */
            name: string;
            /** @description What it may do with captured memory. */
            roles: string[];
            /**
             * @description What it may do.
             * @example [
             *       "compile",
             *       "compress"
             *     ]
             */
            scopes: string[];
            /**
             * @description Whose data it reaches.
             * @example default
             */
            tenant: string;
            /**
             * Format: date-time
             * @description When it was last changed: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            updated_at: string;
        };
        /** @description A turn without a compile. */
        AppendedTurn: {
            /** @description A line for each hook that was asked about the calls; absent if none was. */
            hooks?: components["schemas"]["HookReport"][];
            /**
             * Format: int64
             * @description The number of messages in the session.
             */
            messages: number;
            /** @description As in a turn with a payload. */
            results: components["schemas"]["ToolCallResult"][];
            /** @description About `usage`. */
            warnings: components["schemas"]["ReportNote"][];
        };
        /** @description What a cleanup did. */
        ArtifactCleanup: {
            /**
             * @description Ids in the order in which they went.
             * @example [
             *       "574a963fe4c28cab63d90746"
             *     ]
             */
            evicted: string[];
            /**
             * Format: int64
             * @description Artifacts removed because of their age.
             */
            evicted_by_age: number;
            /**
             * Format: int64
             * @description Artifacts removed because of the limit on bytes.
             */
            evicted_by_bytes: number;
            /**
             * Format: int64
             * @description Artifacts removed because of the limit on their number.
             */
            evicted_by_count: number;
            /**
             * Format: int64
             * @description Bytes of the removed artifacts.
             */
            evicted_bytes: number;
            /** @description Ids that should have gone and are still there. */
            failed: string[];
        };
        /** @description The caps of a cleanup; the settings' if absent. 0 keeps nothing. */
        ArtifactCleanupRequest: {
            /**
             * Format: int64
             * @description Seconds since an artifact was last stored.
             * @example 86400
             */
            max_age_seconds?: number | null;
            /**
             * Format: int64
             * @description Bytes of all artifacts together.
             */
            max_bytes?: number | null;
            /**
             * Format: int64
             * @description The number of artifacts.
             * @example 1000
             */
            max_count?: number | null;
        };
        /** @description The body of a call adds text to the end of the last user message, such as what a search found. */
        BeforeCompileHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["BeforeCompileHookInput"];
            /** @description What the hook may do: provide, observe. */
            kind: components["schemas"]["HookKind"];
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "before_compile";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "system": [],
         *       "history": [
         *         {
         *           "id": "m_1",
         *           "role": "user",
         *           "parts": [
         *             {
         *               "type": "text",
         *               "text": "Where does the build fail?"
         *             }
         *           ]
         *         }
         *       ],
         *       "dynamic_state": {
         *         "step": 1
         *       },
         *       "dynamic_state_xml": "<step>1</step>"
         *     }
         */
        BeforeCompileHookInput: {
            /** @description as the caller gave it, or null */
            dynamic_state?: components["schemas"]["JsonObject"] | null;
            /** @description as the model will read it, or null */
            dynamic_state_xml?: string | null;
            /** @description messages, already compressed */
            history?: components["schemas"]["JsonValue"][] | null;
            /** @description messages */
            system?: components["schemas"]["JsonValue"][] | null;
        };
        /** @description The body of a call before an over-long history shrinks; a guard that denies leaves it as it is. */
        BeforeCompressHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["BeforeCompressHookInput"];
            /** @description What the hook may do: guard, transform, provide, observe. */
            kind: components["schemas"]["HookKind"];
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "before_compress";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "history": [
         *         {
         *           "id": "m_1",
         *           "role": "user",
         *           "parts": [
         *             {
         *               "type": "text",
         *               "text": "Where does the build fail?"
         *             }
         *           ]
         *         }
         *       ],
         *       "system": [],
         *       "tokens": {
         *         "current": 130000,
         *         "limit": 120000
         *       },
         *       "history_tokens": {
         *         "current": 118000,
         *         "limit": 108000
         *       },
         *       "trigger": "over_limit",
         *       "to_compress": {
         *         "from": 0,
         *         "to": 1
         *       }
         *     }
         */
        BeforeCompressHookInput: {
            /** @description messages */
            history?: components["schemas"]["JsonValue"][] | null;
            /** @description `{current, limit}` of the history: above its limit it shrinks */
            history_tokens?: components["schemas"]["JsonObject"] | null;
            /** @description messages */
            system?: components["schemas"]["JsonValue"][] | null;
            /** @description `{from, to}`, the messages that are about to shrink */
            to_compress?: components["schemas"]["JsonObject"] | null;
            /** @description `{current, limit}` of the payload: its budget is the limit */
            tokens?: components["schemas"]["JsonObject"] | null;
            /** @description why the history shrinks */
            trigger?: string | null;
        };
        /** @description The size that the payload may have: the options, or the tokens of the window alone, of which none are reserved. */
        BudgetInput: number | components["schemas"]["BudgetOptions"];
        /** @description The budget is the window less what is reserved for the answer; all parts count against it. */
        BudgetOptions: {
            /**
             * Format: int64
             * @description Tokens of the window; the model's when absent.
             * @example 128000
             */
            context_window?: number | null;
            on_overflow?: components["schemas"]["OnOverflow"] | null;
            price_step?: components["schemas"]["PriceStepRule"] | null;
            /**
             * Format: int64
             * @description Tokens kept for the answer. When absent: the model's largest answer up to 8,192, or 0
             *     where `context_window` is given.
             * @example 4096
             */
            reserve_output?: number | null;
        };
        /** @enum {string} */
        BuiltInHook: "truncate" | "redact" | "deny_command" | "secret_scan";
        /** @description The prefix of a session is about to run out in its provider's cache. */
        CacheExpiringData: {
            /**
             * Format: date-time
             * @description When the prefix runs out: RFC 3339, in UTC.
             */
            expires_at: string;
            /** @description The model. */
            model: string;
            /** @description SHA-256 of the payload's text up to the end of its last marked block. */
            prefix_hash: string;
            /**
             * Format: int64
             * @description Tokens of the prefix.
             */
            prefix_tokens: number;
            /**
             * Format: int64
             * @description Micro-dollars that writing the prefix again costs more than reading it, or null.
             */
            rewrite_micros?: number | null;
        };
        /** @description The prefix of a session is about to run out in its provider's cache. */
        CacheExpiringEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["CacheExpiringData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "cache:expiring";
        };
        /** @description The body of a call before a session's prefix runs out in its provider's cache. */
        CacheExpiringHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["CacheExpiringHookInput"];
            /**
             * @description What the hook may do.
             * @constant
             */
            kind: "observe";
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "cache_expiring";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "model": "claude-sonnet-4-5",
         *       "compilation_id": "cmp_0198c4f2b7c07d53a1d2c3b4a5968778",
         *       "prefix_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *       "prefix_tokens": 18000,
         *       "rewrite_micros": 62100,
         *       "expires_at": "2026-12-31T23:59:59Z"
         *     }
         */
        CacheExpiringHookInput: {
            /** @description the compile of that payload */
            compilation_id?: string | null;
            /**
             * Format: date-time
             * @description when it runs out
             */
            expires_at?: string | null;
            /** @description the model of the session's last payload */
            model?: string | null;
            /** @description SHA-256 of the payload's text up to the end of its last marked block */
            prefix_hash?: string | null;
            /** @description tokens of the prefix */
            prefix_tokens?: number | null;
            /** @description micro-dollars that writing it again costs more than reading it, or null */
            rewrite_micros?: number | null;
        };
        /**
         * @description How the provider's prompt cache is used: the options, `true` for all of their defaults, or `false` for
         *     no marks but the client's.
         */
        CacheInput: boolean | components["schemas"]["CacheOptions"];
        /** @description How the provider's prompt cache is used. */
        CacheOptions: {
            /**
             * Format: int64
             * @description Most marks in a payload, the client's included, and that of `cache_control`. If absent: `4`.
             */
            marks?: number | null;
            /**
             * @description The payload sent before, or the `id` of its answer: `report.cache.first_change` compares
             *     with it.
             */
            previous?: components["schemas"]["JsonValue"];
            /** @description `warm`, `cold` or `unknown`. */
            state?: components["schemas"]["CacheState"] | null;
            /**
             * @description How long marks of ours ask to be kept: `5m` (when `cache` is given), `1h`, or `off` for
             *     no marks but the client's. At `OpenAI` it is 30 minutes or 12 hours.
             */
            ttl?: components["schemas"]["CacheTtl"] | null;
        };
        /** @description How the payload stands to the provider's prefix cache. */
        CacheReport: {
            /** @description JSON Pointers into the payload of the blocks that carry a cache mark. */
            breakpoints: string[];
            first_change?: components["schemas"]["FirstChange"] | null;
            /**
             * Format: int64
             * @description Tokens before the first place that changes with every compile (the tail); all of the
             *     payload where there is none.
             */
            stable_tokens: number;
        };
        /** @enum {string} */
        CacheState: "warm" | "cold" | "unknown";
        /** @enum {string} */
        CacheTtl: "5m" | "1h" | "off";
        /** @description The hook that is called. */
        CalledHook: {
            /**
             * @description The id of the hook.
             * @example redact
             */
            id: string;
            /**
             * Format: int64
             * @description From 1, one more with each change of the hook.
             */
            revision: number;
        };
        /** @description A fact that may become a memory entry. */
        Candidate: {
            /** @description The line of the log of proposals. */
            capture: components["schemas"]["CandidateCapture"];
            /** @description What was found when it was proposed. */
            checks: components["schemas"]["CandidateChecks"];
            /**
             * @description Its class of fact: `evidence_link`, `preference`, `decision_outcome` or `correction`.
             * @example preference
             */
            class: string;
            /**
             * @description Who may see it: `public`, `internal`, `confidential` or `restricted`.
             * @example internal
             */
            classification: string;
            /**
             * Format: double
             * @description How sure the proposer is, from 0 to 1.
             */
            confidence?: number | null;
            /** @description The consent that was given: `true`, a record or its id. */
            consent?: components["schemas"]["JsonValue"];
            /**
             * Format: date-time
             * @description When it was made: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            created_at: string;
            /** @description A sentence about the value. */
            description?: string | null;
            /** @description What the value is said of. */
            entity?: string | null;
            /** @description References to evidence, as they were proposed. */
            evidence_refs?: components["schemas"]["JsonValue"][] | null;
            /** @description SHA-256 over what makes two proposals the same fact. */
            fingerprint: string;
            /**
             * @description Its id.
             * @example mcd_0199aa2b7c3d7e1f8a90b1c2d3e4f506
             */
            id: string;
            /** @description The intents of packs for which the entry may be recalled. */
            intents: string[];
            /** @description The key that the entry shall have. */
            key?: string | null;
            /**
             * Format: int64
             * @description The last line about it in `/memory-candidates/events`.
             */
            last_event: number;
            /** @description The key of its entry, once it is promoted. */
            memory_key?: string | null;
            /** @description Which property of the entity the value is. */
            predicate?: string | null;
            /** @description Who proposed it, and who revised it. */
            proposed_by: components["schemas"]["CandidateActor"][];
            review?: components["schemas"]["CandidateReviewRow"] | null;
            /** @description The scope that the entry shall have. */
            scope: components["schemas"]["MemoryScope"];
            /**
             * @description `pending`, `in_review`, `duplicate`, `auto_rejected`, `rejected`, `approved`, `promoted` or
             *     `superseded`.
             * @example in_review
             */
            state: string;
            /** @description The candidate that took its place. */
            superseded_by?: string | null;
            /**
             * @description The tier that the entry shall have.
             * @example semantic
             */
            tier: string;
            ttl?: components["schemas"]["MemoryTtl"] | null;
            /**
             * Format: date-time
             * @description When it was last changed: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            updated_at: string;
            /** @description What is proposed. */
            value: components["schemas"]["JsonValue"];
            /**
             * Format: int64
             * @description Also the `ETag`.
             */
            version: number;
        };
        /** @description Somebody who acts. */
        CandidateActor: {
            /**
             * @description 1 to 256 bytes.
             * @example ann
             */
            id: string;
            /** @description `user`, `agent`, `service` or `automation`. An agent proposes, and decides nothing. */
            kind: components["schemas"]["ActorKind"];
        };
        /** @description What was proposed, in a log that nothing is taken out of. */
        CandidateCapture: {
            /** @description SHA-256 over the 32 bytes of `prev_hash` and the proposal's bytes. */
            hash: string;
            /**
             * @description The id of the capture.
             * @example mcp_0199aa2b7c3d7e1f8a90b1c2d3e4f507
             */
            id?: string | null;
            /** @description 64 zeros for the first. */
            prev_hash: string;
            /**
             * Format: int64
             * @description From 1, one more with each capture.
             */
            seq: number;
        };
        /** @description What was found out when it was proposed. */
        CandidateChecks: {
            /** @description Whether the policy promotes it without a review. */
            auto_promote_eligible: boolean;
            /**
             * @description `not_required`, `given` or `missing`; without it nothing is promoted.
             * @example not_required
             */
            consent_check: string;
            /** @description Whether a promoted entry says otherwise. */
            contradiction_check: components["schemas"]["ContradictionCheck"];
            /** @description The first candidate that says the same. */
            duplicate_of?: string | null;
            /** @description The candidate that said the same and was rejected. */
            previous?: string | null;
        };
        /** @description A line of the log. */
        CandidateEvent: {
            /** @description `{action, at, by, candidate, data?, from?, reason?, seq, to}`; ids and keys, never a value. */
            event: components["schemas"]["JsonValue"];
            /** @description SHA-256 over the 32 bytes of `prev_hash` and the bytes of `event`, as they stand here. */
            hash: string;
            /** @description 64 zeros for the first. */
            prev_hash: string;
            /**
             * Format: int64
             * @description From 1, one more with each line.
             */
            seq: number;
        };
        /** @description Part of the log of candidates. */
        CandidateEvents: {
            /** @description The rows of this page. */
            items: components["schemas"]["CandidateEvent"][];
            /** @description Where the log goes on; null at its end. */
            next_cursor?: string | null;
            verified?: components["schemas"]["VerifiedLogs"] | null;
        };
        /** @description A page of candidates. */
        CandidateList: {
            /** @description The rows of this page. */
            items: components["schemas"]["Candidate"][];
            /** @description Where the list goes on; null at its end. */
            next_cursor?: string | null;
        };
        /**
         * @description How a candidate is promoted. What is absent is as it was proposed.
         * @example {
         *       "tier": "semantic",
         *       "by": {
         *         "id": "bob",
         *         "kind": "user"
         *       }
         *     }
         */
        CandidatePromotion: {
            /** @description Who promotes it. */
            by: components["schemas"]["CandidateActor"];
            /** @description The classification of the entry. */
            classification?: components["schemas"]["Classification"] | null;
            /** @description The intents of packs for which the entry may be recalled. */
            intents?: string[] | null;
            /** @description The key of the entry. */
            key?: string | null;
            /**
             * @description What becomes of entries that say otherwise: `supersede`, `keep_both` or `reject`, which
             *     rejects the candidate.
             */
            resolution?: components["schemas"]["ContradictionResolution"] | null;
            scope?: components["schemas"]["MemoryScope"] | null;
            /** @description The tier of the entry. */
            tier?: components["schemas"]["MemoryTier"] | null;
            ttl?: components["schemas"]["MemoryTtl"] | null;
        };
        /**
         * @description What is proposed.
         * @example {
         *       "entity": "ann",
         *       "predicate": "preferred_contact",
         *       "value": "email",
         *       "class": "preference",
         *       "scope": {
         *         "subject": "ann"
         *       },
         *       "confidence": 0.9,
         *       "by": {
         *         "id": "support-bot",
         *         "kind": "agent"
         *       }
         *     }
         */
        CandidateProposal: {
            by?: components["schemas"]["CandidateActor"] | null;
            /** @description `evidence_link`, `preference`, `decision_outcome` or `correction`. */
            class: components["schemas"]["MemoryClass"];
            /** @description `public`, `internal`, `confidential` or `restricted`. If absent: `"internal"`. */
            classification?: components["schemas"]["Classification"] | null;
            /**
             * Format: double
             * @description How sure the proposer is.
             */
            confidence?: number | null;
            /** @description `true`, a record or its id; `false` is none. */
            consent?: components["schemas"]["JsonValue"];
            /** @description A sentence about the value, shown to the model with it. */
            description?: string | null;
            /** @description What the value is said of; together with `predicate`. */
            entity?: string | null;
            /** @description Up to 32 values that are carried and not read; at most 16 KiB. */
            evidence_refs?: components["schemas"]["JsonValue"][] | null;
            /** @description Up to 32 short texts. */
            intents?: string[] | null;
            /**
             * @description The key that the entry shall have. If it is absent, `entity.predicate`, or made of what
             *     is said.
             */
            key?: string | null;
            policy?: components["schemas"]["WritePolicy"] | null;
            /** @description Which of its properties the value is. */
            predicate?: string | null;
            /** @description The id of a pending candidate that is proposed again. */
            revises?: string | null;
            scope?: components["schemas"]["MemoryScope"] | null;
            /** @description `working`, `episodic`, `semantic` or `durable`. If absent: `"semantic"`. */
            tier?: components["schemas"]["MemoryTier"] | null;
            ttl?: components["schemas"]["MemoryTtl"] | null;
            /** @description Any JSON value, a text most of the time; at most 64 KiB. */
            value: components["schemas"]["JsonValue"];
        };
        /**
         * @description What a reviewer says.
         * @example {
         *       "verdict": "approve",
         *       "reason": "she said so twice",
         *       "by": {
         *         "id": "bob",
         *         "kind": "user"
         *       }
         *     }
         */
        CandidateReview: {
            /** @description Who reviews it; not who proposed it. */
            by: components["schemas"]["CandidateActor"];
            /** @description A new classification of the candidate. */
            classification?: components["schemas"]["Classification"] | null;
            /** @description At most 4 KiB. */
            reason: string;
            /** @description `approve`, `reject` or `request_changes`. */
            verdict: components["schemas"]["ReviewVerdict"];
        };
        /** @description The last review. */
        CandidateReviewRow: {
            /** @description Who reviewed it. */
            by: components["schemas"]["CandidateActor"];
            /** @description The reason that was given. */
            reason: string;
            /**
             * @description `approve`, `reject` or `request_changes`.
             * @example approve
             */
            verdict: string;
        };
        /** @description A skill or a memory entry that was sent. */
        CarriedItem: {
            /**
             * @description The skill's name, or the entry's key.
             * @example style
             */
            name: string;
            /**
             * Format: int64
             * @description Records that have it.
             */
            records: number;
            /**
             * Format: int64
             * @description Tokens of its text in the newest record that has it, which a request without it saves; null if no record
             *     has the text.
             */
            tokens?: number | null;
            /**
             * Format: int64
             * @description Turns since its last use, 0 for the newest one; null if there was none or it is not known.
             */
            turns_since_use?: number | null;
            /**
             * Format: int64
             * @description The model's messages within the newest turns that use it; null if that is not known.
             */
            uses?: number | null;
        };
        /** @description A tool that the request of the newest record in full carries. */
        CarriedTool: {
            /**
             * Format: int64
             * @description Calls within the newest turns.
             */
            calls: number;
            /** @example read_file */
            name: string;
            /**
             * Format: int64
             * @description Tokens of its definition.
             */
            tokens: number;
            /**
             * Format: int64
             * @description Turns since its last call, 0 for the newest one; null if the conversation has no call of it.
             */
            turns_since_call?: number | null;
        };
        /**
         * @description What of a key is to be otherwise.
         * @example {
         *       "limits": {
         *         "requests_per_minute": 60
         *       },
         *       "defaults": null
         *     }
         */
        ChangeKey: {
            /** @description All defaults again, or null for none; `gateway` among them, as in a new key. */
            defaults?: components["schemas"]["JsonObject"] | null;
            kind?: components["schemas"]["KeyKind"] | null;
            limits?: components["schemas"]["KeyLimits"] | null;
            /** @description A name for people. */
            name?: string | null;
            /** @description All roles again. */
            roles?: string[] | null;
            /** @description All scopes again. */
            scopes?: components["schemas"]["KeyScope"][] | null;
        };
        /**
         * @description Why a payload leaves the one before it.
         * @enum {string}
         */
        ChangeReason: "target_changed" | "tools_changed" | "tools_reordered" | "system_changed" | "skill_changed" | "memory_changed" | "state_changed" | "tail_moved" | "compaction" | "squeeze" | "engine_changed" | "thinking_removed" | "message_inserted" | "message_removed" | "message_edited" | "output_changed";
        /**
         * @description What of a session is to be otherwise.
         * @example {
         *       "defaults": {
         *         "model": "claude-opus-4-1",
         *         "memory": null
         *       }
         *     }
         */
        ChangeSession: {
            /** @description Merged into those that are there (RFC 7396); null takes all of them away. */
            defaults?: components["schemas"]["JsonObject"] | null;
            ttl?: components["schemas"]["SessionTtl"] | null;
        };
        /** @enum {string} */
        Classification: "public" | "internal" | "confidential" | "restricted";
        /** @description Which tool results may give way to one line. */
        ClearOptions: {
            /** @description Results of these tools stay. */
            exclude_tools?: string[] | null;
            keep?: components["schemas"]["KeptToolResults"] | null;
            /**
             * Format: int64
             * @description Results of fewer tokens stay. If absent: `0`.
             */
            least_tokens?: number | null;
        };
        /** @description Which tool results may give way to one line: `false` for none, with their thinking, or which. */
        ClearSetting: boolean | components["schemas"]["ClearOptions"];
        /** @description A compaction that was put off, since writing the history again costs more than it saves. */
        CompactionPutOff: {
            /**
             * Format: int64
             * @description Later requests after which the compaction has paid; null if it never does.
             * @example 35
             */
            break_even_turns?: number | null;
            /**
             * Format: int64
             * @description Later requests that are expected.
             * @example 10
             */
            expected_turns: number;
            /**
             * Format: int64
             * @description Tokens that would be written to the cache again.
             */
            rewritten_tokens: number;
            /**
             * Format: int64
             * @description Tokens that each later request would not have to read.
             */
            saved_tokens: number;
            /**
             * @description `break_even`: it is further away than the turns that are expected.
             * @example break_even
             */
            why: string;
        };
        /** @description Two records to compare. */
        CompareRequest: {
            /** @description The id of a compilation. */
            a: string;
            /** @description The id of another. */
            b: string;
        };
        /** @description Where two compiles parted. */
        CompareResponse: {
            /** @description The first record. */
            a: components["schemas"]["CompilationRow"];
            /** @description The second record. */
            b: components["schemas"]["CompilationRow"];
            /** @description Between the payloads, where both are kept; at most 200 steps. */
            diff: components["schemas"]["DiffStep"][];
            /** @description The earliest stage that gave something else. */
            first_divergent_stage?: string | null;
            /** @description The stages that parted by themselves, not because one before them did. */
            root_stages: string[];
            /** @description Every stage of both. */
            stages: components["schemas"]["StageRow"][];
            /** @description `equal` or `diverged`. */
            status: string;
        };
        /** @description A compiled conversation. */
        Compilation: {
            /** @description Under a pack: what was compiled, with manifests, controls, budget and ledger. */
            compiled_context?: components["schemas"]["JsonObject"] | null;
            /** @description SHA-256 of the canonical JSON (RFC 8785) of `compiled_context`. */
            compiled_context_hash?: string | null;
            /**
             * @description The id of the record.
             * @example cmp_8d2c41f09b7e
             */
            id: string;
            /** @description Under a pack: what belongs to this one call, and is hashed nowhere. */
            meta?: components["schemas"]["JsonObject"] | null;
            /** @description Spread it into the provider's call: `create(model=..., **payload)`. */
            payload: components["schemas"]["CompilePayload"];
            /** @description What was done, and why. */
            report: components["schemas"]["Report"];
        };
        /** @description A page of records, newest first. */
        CompilationList: {
            /** @description The rows of this page. */
            items: components["schemas"]["CompilationRow"][];
            /** @description Where the list goes on; null at its end. */
            next_cursor?: string | null;
        };
        /** @description A record with all that it holds. */
        CompilationRecord: components["schemas"]["CompilationRow"] & {
            /**
             * @description With `explain=full`, of a record in full under a pack: what the pack's stages decided, as the
             *     response had it. Absent if it is not known.
             */
            compiled_context?: components["schemas"]["JsonValue"];
            /** @description SHA-256 of the canonical JSON (RFC 8785) of `compiled_context`. */
            compiled_context_hash?: string | null;
            /**
             * @description What happened to each message, with `explain=full`: null if it is not known, because the record
             *     has hashes alone or another engine made it. Of a request through the gateway, the edited
             *     messages.
             */
            decisions?: components["schemas"]["MessageDecision"][] | null;
            /** @description What the compile stored in addition to its record. */
            effects: components["schemas"]["CompileEffects"];
            gateway?: components["schemas"]["GatewayReport"] | null;
            /** @description The outcome of each hook. */
            hooks: components["schemas"]["HookRecord"][];
            /** @description With it: what belongs to that one call, and is hashed nowhere. */
            meta?: components["schemas"]["JsonValue"];
            /** @description The payload, of a record in full; null where it is no longer kept. */
            payload?: components["schemas"]["JsonObject"] | null;
            refusal?: components["schemas"]["CompileRefusal"] | null;
            report?: components["schemas"]["Report"] | null;
            reported_cost?: components["schemas"]["CompileCost"] | null;
            /** @description The request, of a record in full; null where it is no longer kept. */
            request?: components["schemas"]["JsonObject"] | null;
            /** @description The ledger: what each stage was given and what it gave, as hashes. */
            stages: components["schemas"]["LedgerLine"][];
        };
        /** @description A row of the list. */
        CompilationRow: {
            /**
             * Format: date-time
             * @description When it was made: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            created_at: string;
            /** @description Whether this engine would compile the same: only then can it be run again. */
            current: boolean;
            /** @description Release and semantics of the engine that compiled. */
            engine: string;
            /**
             * Format: date-time
             * @description When it is removed: RFC 3339, in UTC. Null if it stays.
             */
            expires_at: string;
            /** @description Whether the payload was within the budget. */
            fits: boolean;
            /**
             * @description The id of the record.
             * @example cmp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b
             */
            id: string;
            /** @description The model of the request; null if it named none. */
            model?: string | null;
            /** @description SHA-256 of the payload's bytes; null where a pack refused. */
            payload_hash?: string | null;
            /** @description `hashes` or `full`. */
            record: string;
            /** @description The session of the compile; null if there was none. */
            session_id?: string | null;
            /** @description `compiled` or `refused`. */
            status: string;
            /**
             * @description The shape of the payload.
             * @example anthropic
             */
            target: string;
            /**
             * Format: int64
             * @description Tokens of the payload.
             */
            tokens_after: number;
            /**
             * Format: int64
             * @description Tokens of the conversation before anything was shortened.
             */
            tokens_before: number;
        };
        /** @description The cost of a payload, in micro-dollars (millionths of a dollar). */
        CompileCost: {
            /** @description What is assumed of the provider's cache. */
            cache: components["schemas"]["CostCacheAssumption"];
            /**
             * Format: int64
             * @description The answer; null until the provider's usage of the payload is reported with its output.
             */
            output_micros?: number | null;
            /**
             * Format: int64
             * @description The input: the payload, without the answer.
             */
            payload_micros: number;
            /**
             * Format: int64
             * @description `unshortened_micros` less `payload_micros`; negative if the payload costs more.
             */
            saved_micros: number;
            /**
             * Format: int64
             * @description The part of `unshortened_micros` that is for text which this compile left out and no earlier
             *     compile of the session did.
             */
            unique_saved_micros: number;
            /**
             * Format: int64
             * @description What the conversation would cost unshortened, by the same state of the cache.
             */
            unshortened_micros: number;
        };
        /** @description A compile has a payload. */
        CompileDoneData: {
            /** @description Messages by what happened to them. */
            actions: components["schemas"]["ActionCounts"];
            cost?: components["schemas"]["CompileCost"] | null;
            /**
             * Format: int64
             * @description Milliseconds from the request to the payload.
             */
            duration_ms: number;
            first_change?: components["schemas"]["FirstChange"] | null;
            /** @description Whether the payload is within the budget. */
            fits: boolean;
            /** @description The id of the caller's key, or null. */
            key?: string | null;
            /** @description The model, as the request names it. */
            model?: string | null;
            /** @description Tokens by part. */
            parts: components["schemas"]["PartTokens"];
            /** @description The hash of the payload, in hex. */
            payload_hash: string;
            /** @description How much of the compile is recorded, as the request asked: `none`, `hashes` or `full`. */
            record: string;
            reported_cost?: components["schemas"]["CompileCost"] | null;
            /**
             * @description The shape of the payload.
             * @example anthropic
             */
            target?: string | null;
            /**
             * Format: int64
             * @description As in the report.
             */
            tokens_after: number;
            /**
             * Format: int64
             * @description As in the report.
             */
            tokens_before: number;
            /**
             * Format: int64
             * @description Tokens that this compile left out and no earlier compile of the session did.
             */
            unique_saved_tokens: number;
        };
        /** @description A compile has a payload. */
        CompileDoneEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["CompileDoneData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "compile:done";
        };
        /** @description What a compile stored. */
        CompileEffects: {
            /** @description Ids of the originals that it stored. */
            artifacts: string[];
            /** @description Keys of memory entries whose time was up. */
            memory_expired: string[];
        };
        /** @description A compile has no payload. */
        CompileFailedData: {
            /**
             * @description The code of the problem.
             * @example invalid_request
             */
            code: string;
            /**
             * Format: int64
             * @description Milliseconds from the request to the problem.
             */
            duration_ms: number;
        };
        /** @description A compile has no payload. */
        CompileFailedEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["CompileFailedData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "compile:failed";
        };
        /** @description What to send to the provider, by `target`. It has the keys of the target's own request, never `model`, and `max_tokens`, `stream` and the like only with `passthrough`. */
        CompilePayload: components["schemas"]["OpenAiPayload"] | components["schemas"]["OpenAiResponsesPayload"] | components["schemas"]["AnthropicPayload"] | components["schemas"]["GeminiPayload"] | components["schemas"]["NeutralPayload"];
        /** @description Why nothing was compiled under a pack. */
        CompileRefusal: {
            /**
             * @description The code of the problem.
             * @example intent_unknown
             */
            code: string;
            /** @description The cause in this case. */
            detail: string;
            /**
             * @description The stage that refused; null where it was settled before the first one.
             * @example intent
             */
            stage?: string | null;
        };
        /**
         * @description A conversation and what to make of it. Only a conversation and `target` are needed; an
         *     unknown key is refused with the name of the nearest known one.
         * @example {
         *       "target": "anthropic",
         *       "model": "claude-sonnet-4-5",
         *       "messages": [
         *         {
         *           "role": "system",
         *           "content": "You are a careful assistant."
         *         },
         *         {
         *           "role": "user",
         *           "content": "Where does the build fail?"
         *         },
         *         {
         *           "role": "assistant",
         *           "content": null,
         *           "tool_calls": [
         *             {
         *               "id": "call_1",
         *               "type": "function",
         *               "function": {
         *                 "name": "read_log",
         *                 "arguments": "{\"lines\": 200}"
         *               }
         *             }
         *           ]
         *         },
         *         {
         *           "role": "tool",
         *           "tool_call_id": "call_1",
         *           "content": "error[E0382]: use of moved value"
         *         }
         *       ],
         *       "budget": {
         *         "context_window": 128000,
         *         "reserve_output": 4096
         *       }
         *     }
         */
        CompileRequest: {
            /** @description With `passthrough`, for `openai`. */
            audio?: components["schemas"]["JsonObject"];
            /** @description With `passthrough`, for `openai_responses`. */
            background?: boolean;
            budget?: components["schemas"]["BudgetInput"] | null;
            cache?: components["schemas"]["CacheInput"] | null;
            /** @description Anthropic's member: the provider itself marks the last block. It takes one of the four places. */
            cache_control?: components["schemas"]["JsonObject"] | null;
            /** @description Gemini's member: the name of stored content, which has to contain system text and tools. */
            cachedContent?: string | null;
            /** @description The same, as the provider's Python library spells it. */
            cached_content?: string | null;
            /** @description With `passthrough`, for `openai`. */
            chat_template_kwargs?: components["schemas"]["JsonObject"];
            compression?: components["schemas"]["CompressionInput"] | null;
            /** @description With `passthrough`, for `anthropic`. */
            container?: components["schemas"]["JsonValue"];
            /** @description The conversation of a Gemini request. */
            contents?: components["schemas"]["JsonValue"][] | null;
            /** @description With `passthrough`, for `openai_responses`, `anthropic`. */
            context_management?: components["schemas"]["JsonValue"];
            /**
             * Format: int64
             * @description Milliseconds that the compile may take, 10,000 when absent. The smaller of this and the
             *     header `Contexture-Deadline-Ms` counts.
             */
            deadline_ms?: number | null;
            /** @description Any object; placed as XML, the same bytes for the same object. */
            dynamic_state?: components["schemas"]["JsonObject"] | null;
            /** @description Whether a sentence after the state at the tail says that it is current: true if absent. */
            dynamic_state_anchor?: boolean | null;
            dynamic_state_placement?: components["schemas"]["StatePlacement"] | null;
            /** @description Under a pack: evidence that may be shown, at most 1,000. */
            evidence?: components["schemas"]["JsonValue"][] | null;
            explain?: components["schemas"]["ExplainMode"] | null;
            /** @description With `passthrough`, for `openai`. */
            frequency_penalty?: number;
            /** @description With `passthrough`, for `openai`. */
            function_call?: components["schemas"]["JsonValue"];
            /** @description With `passthrough`, for `gemini`. */
            generationConfig?: components["schemas"]["JsonObject"];
            /** @description With `passthrough`, for `gemini`. */
            generation_config?: components["schemas"]["JsonObject"];
            /**
             * @description Hooks of this request alone, at most 32, or `false` for none but the mandatory ones. A hook with a
             *     `url` needs the scope `hooks:write`.
             */
            hooks?: components["schemas"]["JsonValue"];
            /** @description Text for this turn only, placed at the tail of the last user message. */
            implicit_context?: string | null;
            /** @description With `passthrough`, for `openai_responses`. */
            include?: components["schemas"]["JsonValue"][];
            /** @description With `passthrough`, for `anthropic`. */
            inference_geo?: string;
            /** @description The conversation of an `OpenAI` Responses request: a text or a list of items. */
            input?: components["schemas"]["JsonValue"];
            /** @description System text of an `OpenAI` Responses request. */
            instructions?: string | null;
            /** @description With `passthrough`, for `gemini`. */
            labels?: components["schemas"]["JsonObject"];
            /** @description With `passthrough`, for `openai`. */
            logit_bias?: components["schemas"]["JsonObject"];
            /** @description With `passthrough`, for `openai`. */
            logprobs?: boolean;
            /**
             * Format: int64
             * @description With `passthrough`, for `openai`.
             */
            max_completion_tokens?: number;
            /**
             * Format: int64
             * @description With `passthrough`, for `openai_responses`.
             */
            max_output_tokens?: number;
            /**
             * Format: int64
             * @description With `passthrough`, for `openai`, `anthropic`.
             */
            max_tokens?: number;
            /**
             * Format: int64
             * @description With `passthrough`, for `openai_responses`.
             */
            max_tool_calls?: number;
            /** @description With `passthrough`, for `anthropic`. */
            mcp_servers?: components["schemas"]["JsonValue"][];
            memory?: components["schemas"]["MemoryInput"] | null;
            /**
             * @description Messages in the shape of `OpenAI` Chat, Anthropic or neutral; at most 10,000. Under a pack they
             *     may be absent: `input.message` of the request is then the conversation.
             */
            messages?: components["schemas"]["ConversationMessage"][] | null;
            /** @description With `passthrough`, for `openai`, `openai_responses`, `anthropic`. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description With `passthrough`, for `openai`. */
            min_p?: number;
            /** @description With `passthrough`, for `openai`. */
            modalities?: components["schemas"]["JsonValue"][];
            /**
             * @description Decides window, largest answer and tokenizer (`GET /models`). One that is not in the
             *     table gets 128,000 tokens and a warning.
             */
            model?: string | null;
            /**
             * Format: int64
             * @description With `passthrough`, for `openai`.
             */
            n?: number;
            on_deadline?: components["schemas"]["OnDeadline"] | null;
            output?: components["schemas"]["OutputOptions"] | null;
            /** @description With `passthrough`, for `anthropic`. */
            output_config?: components["schemas"]["JsonObject"];
            /** @description With `passthrough`, for `anthropic`. */
            output_format?: components["schemas"]["JsonObject"];
            /**
             * @description The pack that governs the compile (`docs/packs.md`): `id@version`, a document, or `{"ref" |
             *     "document", "run_context", "request", "memory"?, "blocks"?}`.
             */
            pack?: components["schemas"]["JsonValue"];
            /** @description With `passthrough`, for `openai`, `openai_responses`. */
            parallel_tool_calls?: boolean;
            /**
             * @description Whether members of the provider's own request, such as `temperature`, `max_tokens` or `stream`, are
             *     given back in `payload`, if the target's API has them. Without it they are refused.
             */
            passthrough?: boolean | null;
            /** @description With `passthrough`, for `openai`. */
            prediction?: components["schemas"]["JsonObject"];
            /** @description With `passthrough`, for `openai`. */
            presence_penalty?: number;
            /** @description Member of `OpenAI`; without it, a session with marks of ours has a key of its own. */
            prompt_cache_key?: string | null;
            /** @description Member of `OpenAI` for GPT-5.6 and later: `mode` and `ttl`. */
            prompt_cache_options?: components["schemas"]["JsonObject"] | null;
            /** @description Member of `OpenAI` for models before GPT-5.6. */
            prompt_cache_retention?: string | null;
            protect?: components["schemas"]["ProtectOptions"] | null;
            /** @description With `passthrough`, for `openai`. */
            provider?: components["schemas"]["JsonObject"];
            /**
             * Format: int64
             * @description With `passthrough`, for `openai`.
             */
            random_seed?: number;
            /** @description With `passthrough`, for `openai`, `openai_responses`. */
            reasoning?: components["schemas"]["JsonObject"];
            /** @description With `passthrough`, for `openai`. */
            reasoning_effort?: string;
            /**
             * @description What is kept of this compile. `hashes`: figures and the hashes of its stages. `full`: request
             *     and payload, too. `none`: nothing, and no later compile finds it as the one before. If absent: `"hashes"`.
             */
            record?: components["schemas"]["RecordLevel"] | null;
            /** @description `strict` refuses malformed tool arguments, `lenient` keeps them as they are. If absent: `"strict"`. */
            repair?: components["schemas"]["RepairMode"] | null;
            /** @description With `passthrough`, for `openai`. */
            repetition_penalty?: number;
            /** @description Under a pack: what is to be done; where it is not inside of `pack`. */
            request?: components["schemas"]["JsonObject"] | null;
            /** @description With `passthrough`, for `openai`. */
            response_format?: components["schemas"]["JsonObject"];
            /** @description Under a pack: who acts, for whom, and how far; where it is not inside of `pack`. */
            run_context?: components["schemas"]["JsonObject"] | null;
            /** @description With `passthrough`, for `openai`. */
            safe_prompt?: boolean;
            /** @description With `passthrough`, for `gemini`. */
            safetySettings?: components["schemas"]["JsonValue"][];
            /** @description With `passthrough`, for `openai`, `openai_responses`. */
            safety_identifier?: string;
            /** @description With `passthrough`, for `gemini`. */
            safety_settings?: components["schemas"]["JsonValue"][];
            /** @description With `passthrough`, for `openai`. */
            seed?: components["schemas"]["JsonValue"];
            /** @description With `passthrough`, for `openai`, `openai_responses`, `anthropic`. */
            service_tier?: string;
            /** @description Compiles of one session are compared with each other in `report.cache.first_change`. */
            session_id?: string | null;
            skill?: components["schemas"]["SkillInput"] | null;
            source?: components["schemas"]["ConversationShape"] | null;
            /** @description With `passthrough`, for `anthropic`. */
            speed?: string;
            /** @description With `passthrough`, for `openai`. */
            stop?: components["schemas"]["JsonValue"];
            /** @description With `passthrough`, for `anthropic`. */
            stop_sequences?: components["schemas"]["JsonValue"][];
            /** @description With `passthrough`, for `openai`, `openai_responses`. */
            store?: boolean;
            /** @description With `passthrough`, for `openai`, `openai_responses`, `anthropic`. */
            stream?: boolean;
            /** @description With `passthrough`, for `openai`, `openai_responses`. */
            stream_options?: components["schemas"]["JsonObject"];
            /** @description System text of an Anthropic request: a text or a list of text blocks. */
            system?: components["schemas"]["JsonValue"];
            /** @description System text of a Gemini request. */
            systemInstruction?: components["schemas"]["JsonValue"];
            /** @description The same, as the provider's Python library spells it. */
            system_instruction?: components["schemas"]["JsonValue"];
            /**
             * @description `move`: state, context and memory data are at the end of the last user message, once. `stay`:
             *     they stay where earlier payloads had them, and newer ones follow at the end of the list. If
             *     absent, `stay` for models that bind their thinking, `move` for others.
             */
            tail_placement?: components["schemas"]["TailPlacement"] | null;
            target?: components["schemas"]["ConversationShape"] | null;
            /** @description With `passthrough`, for `openai`, `openai_responses`, `anthropic`. */
            temperature?: number;
            /** @description With `passthrough`, for `openai_responses`. */
            text?: components["schemas"]["JsonObject"];
            /** @description With `passthrough`, for `openai`, `anthropic`. */
            thinking?: components["schemas"]["JsonObject"];
            /** @description With `passthrough`, for `gemini`. */
            toolConfig?: components["schemas"]["JsonObject"];
            /** @description With `passthrough`, for `openai`, `openai_responses`, `anthropic`. */
            tool_choice?: components["schemas"]["JsonValue"];
            /** @description With `passthrough`, for `gemini`. */
            tool_config?: components["schemas"]["JsonObject"];
            tools?: components["schemas"]["ToolsInput"] | null;
            /**
             * Format: int64
             * @description With `passthrough`, for `openai`, `anthropic`.
             */
            top_k?: number;
            /**
             * Format: int64
             * @description With `passthrough`, for `openai`, `openai_responses`.
             */
            top_logprobs?: number;
            /** @description With `passthrough`, for `openai`, `openai_responses`, `anthropic`. */
            top_p?: number;
            /** @description With `passthrough`, for `openai_responses`. */
            truncation?: string;
            /**
             * @description The provider's `usage` object of the session's last payload, as it came: it calibrates how
             *     tokens are counted.
             */
            usage?: components["schemas"]["JsonObject"] | null;
            /** @description With `passthrough`, for `openai`, `openai_responses`. */
            user?: string;
            /** @description With `passthrough`, for `openai`. */
            verbosity?: string;
            /** @description With `passthrough`, for `openai`. */
            web_search_options?: components["schemas"]["JsonObject"];
        };
        /** @description A compile begins; all are null if the request is not valid. */
        CompileStartData: {
            /** @description Messages of the conversation. */
            messages?: number | null;
            /** @description The model, as the request names it. */
            model?: string | null;
            /**
             * @description The shape to produce.
             * @example anthropic
             */
            target?: string | null;
        };
        /** @description A compile begins; all are null if the request is not valid. */
        CompileStartEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["CompileStartData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "compile:start";
        };
        /** @description The history of a compile shrank. */
        CompressData: {
            /** @description Messages by what happened to them. */
            actions: components["schemas"]["ActionCounts"];
            /**
             * Format: int64
             * @description Tokens of the payload.
             */
            tokens_after: number;
            /**
             * Format: int64
             * @description Tokens of the payload without this.
             */
            tokens_before: number;
        };
        /** @description The history of a compile shrank. */
        CompressEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["CompressData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "compress";
        };
        /** @description The body of a call shortens a text of a format that only you know. */
        CompressFormatHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["CompressFormatHookInput"];
            /**
             * @description What the hook may do.
             * @constant
             */
            kind: "provide";
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "compress_format";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "text": "a=1\na=2\na=3",
         *       "tool": null
         *     }
         */
        CompressFormatHookInput: {
            /** @description the text */
            text?: string | null;
            /** @description the tool that wrote it, or null */
            tool?: components["schemas"]["JsonValue"];
        };
        /** @enum {string} */
        CompressLevel: "lossless" | "reversible" | "summary" | "drop";
        /**
         * @description Messages or a text to compress: one of `text`, `messages`, `input` and `contents`.
         * @example {
         *       "messages": [
         *         {
         *           "role": "user",
         *           "content": "Where does the build fail?"
         *         },
         *         {
         *           "role": "assistant",
         *           "content": null,
         *           "tool_calls": [
         *             {
         *               "id": "call_1",
         *               "type": "function",
         *               "function": {
         *                 "name": "read_log",
         *                 "arguments": "{\"lines\": 200}"
         *               }
         *             }
         *           ]
         *         },
         *         {
         *           "role": "tool",
         *           "tool_call_id": "call_1",
         *           "content": "1\tfn main() {\n2\t    run();\n3\t}\n4\t"
         *         }
         *       ]
         *     }
         */
        CompressRequest: {
            /**
             * @description Format adapters in the order in which texts are offered to them: names, or definitions.
             *     When absent all of ours, a stored one of the same name in the place of each.
             */
            adapters?: components["schemas"]["JsonValue"][] | null;
            /**
             * Format: int64
             * @description Tokens that the answer may take, framing included.
             */
            budget_tokens?: number | null;
            clear?: components["schemas"]["ClearSetting"] | null;
            /** @description The conversation of a Gemini request. */
            contents?: components["schemas"]["JsonValue"][] | null;
            /**
             * Format: int64
             * @description Milliseconds that it may take, 10,000 if absent.
             */
            deadline_ms?: number | null;
            explain?: components["schemas"]["ExplainMode"] | null;
            /** @description Items of an `OpenAI` Responses request. */
            input?: components["schemas"]["JsonValue"];
            /** @description System text of an `OpenAI` Responses request. */
            instructions?: string | null;
            /**
             * Format: int64
             * @description Newest turns that are shielded from all but lossless edits. If absent: `4`.
             */
            keep_recent_turns?: number | null;
            /**
             * @description `lossless`, `reversible`, `summary` or `drop`; each allows what the ones before do.
             *     `lossless` when absent, `summary` where there is a budget. Without a budget every edit of
             *     the level is made outside of the newest turns; with one, as many as it takes.
             */
            level?: components["schemas"]["CompressLevel"] | null;
            /** @description Messages in the shape of `OpenAI` Chat, Anthropic or neutral; at most 10,000. */
            messages?: components["schemas"]["ConversationMessage"][] | null;
            /** @description Decides the tokenizer. */
            model?: string | null;
            /**
             * @description How lossless forms may show values: `plain`, each as it was written; `computed`, some derived
             *     from others; or `none`, only what keeps the format of the original. If absent: `"plain"`.
             */
            notations?: components["schemas"]["AllowedNotations"] | null;
            on_deadline?: components["schemas"]["OnDeadline"] | null;
            /**
             * @description `store` keeps the originals as artifacts, `return` hands them over as `originals` and
             *     keeps ids and hashes only, `none` allows only what decodes from the shown text. If absent: `"store"`.
             */
            originals?: components["schemas"]["OriginalsPolicy"] | null;
            protect?: components["schemas"]["ProtectOptions"] | null;
            /** @description `strict` refuses malformed tool arguments, `lenient` keeps them as they are. If absent: `"strict"`. */
            repair?: components["schemas"]["RepairMode"] | null;
            source?: components["schemas"]["ConversationShape"] | null;
            /** @description What a summary is to hold, in your words; at most 8,192 bytes. */
            summary_instructions?: string | null;
            /** @description Counted and left as it is, like the three below and the tools. */
            system?: components["schemas"]["JsonValue"];
            /** @description System text of a Gemini request. */
            systemInstruction?: components["schemas"]["JsonValue"];
            /** @description The same, as the provider's Python library spells it. */
            system_instruction?: components["schemas"]["JsonValue"];
            /** @description A text, in place of a conversation. */
            text?: string | null;
            /** @description The provider's array of tools; counted and left as it is. */
            tools?: components["schemas"]["JsonValue"];
        };
        /** @description The result, under the key it came in. */
        CompressResponse: {
            /** @description The originals of what is not shown in full. */
            artifacts: components["schemas"]["OriginalText"][];
            /**
             * @description The id of the response.
             * @example cpr_8d2c41f09b7e
             */
            id: string;
            /** @description The messages in the shape in which they came; absent for a text. */
            messages?: components["schemas"]["JsonObject"][] | null;
            /** @description Their texts by id, with `originals: "return"`. */
            originals?: {
                [key: string]: string;
            } | null;
            /** @description What was done, and why. */
            report: components["schemas"]["Report"];
            /** @description The text; absent for messages. */
            text?: string | null;
        };
        /** @enum {string} */
        CompressedBy: "service" | "provider";
        /** @description How far history may be shortened: the options, or a level alone, with the defaults of the others. */
        CompressionInput: components["schemas"]["CompressionLevel"] | components["schemas"]["CompressionOptions"];
        /** @enum {string} */
        CompressionLevel: "off" | "lossless" | "reversible" | "summary" | "drop";
        /** @description How far history may be shortened. */
        CompressionOptions: {
            /**
             * @description Format adapters in the order in which texts are offered to them: names, names with how the
             *     adapter works (`{"name", "ratio", "summarizer"}`), or definitions.
             *     When absent all of ours, a stored one of the same name in the place of each.
             */
            adapters?: components["schemas"]["JsonValue"][] | null;
            /**
             * @description Who shortens the history: `service`, or `provider`, where the provider clears and compacts by
             *     itself as `report.requires` asks of the request. If absent: `"service"`.
             */
            by?: components["schemas"]["CompressedBy"] | null;
            clear?: components["schemas"]["ClearSetting"] | null;
            /**
             * Format: double
             * @description Share of the history's room that it is compacted to. If absent: `0.6`.
             */
            compress_to?: number | null;
            /**
             * Format: int64
             * @description Later requests that are expected; the model's answers in the list so far, at least 10, when
             *     absent.
             */
            expected_turns?: number | null;
            /**
             * Format: int64
             * @description Newest turns that are shielded from all but lossless edits. If absent: `4`.
             */
            keep_recent_turns?: number | null;
            /**
             * @description `off`, `lossless`, `reversible`, `summary` or `drop`; each allows what the ones before do. If absent: `"drop"`.
             * @example summary
             */
            level?: components["schemas"]["CompressionLevel"] | null;
            /**
             * @description How lossless forms may show values: `plain`, each as it was written; `computed`, some derived
             *     from others; or `none`, only what keeps the format of the original. If absent: `"plain"`.
             */
            notations?: components["schemas"]["AllowedNotations"] | null;
            /**
             * @description What is done to a tool result the first time it is seen: `off`, `lossless`, or
             *     `reversible`, where format adapters shorten it. If absent: `"lossless"`.
             */
            on_arrival?: components["schemas"]["OnArrival"] | null;
            /**
             * @description Whether a compaction is put off until the number of later requests in which it pays is within
             *     `expected_turns`, as long as the history has room. If absent: `false`.
             */
            pays?: boolean | null;
            /**
             * @description Adds the tool `context_read`, and cleared results name the artifact that it reads. Answer
             *     its calls from `GET /artifacts/{id}`. If absent: `false`.
             */
            read_tool?: boolean | null;
            /**
             * Format: int64
             * @description Characters above which an old tool result is not searched for lines to quote in a
             *     summary.
             */
            stub_tool_results_over?: number | null;
            /** @description What a summary is to hold, in your words; at most 8,192 bytes. */
            summary_instructions?: string | null;
            /** @description `keep` or `clear_old`. If absent: `"clear_old"`. */
            thinking?: components["schemas"]["ThinkingPolicy"] | null;
            /**
             * Format: double
             * @description Share of the history's room at which it is compacted. If absent: `1.0`.
             */
            trigger?: number | null;
        };
        /** @description Who is signed in to the console. */
        ConsoleSession: {
            /** @description The value of `contexture-csrf` for requests with the cookie; null without a cookie. */
            csrf_token?: string | null;
            /** @description The key's id; null for callers without one. */
            key?: string | null;
            /** @description What the key may do; all scopes for callers of a server that needs no key. */
            scopes: string[];
            /**
             * @description The tenant whose data is shown.
             * @example default
             */
            tenant: string;
        };
        /** @description Memory, state or context is in the payload. */
        ContextInjectedData: {
            /** @description Whether `dynamic_state` is in it. */
            dynamic_state: boolean;
            /** @description The hooks whose text is in it. */
            hooks: string[];
            /** @description Whether `implicit_context` or the text of a hook is in it. */
            implicit_context: boolean;
            /** @description Entries of memory. */
            memory_entries: number;
        };
        /** @description Memory, state or context is in the payload. */
        ContextInjectedEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["ContextInjectedData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "context:injected";
        };
        /** @description Whether a promoted entry says otherwise. */
        ContradictionCheck: {
            /** @description The entries that say otherwise, in the candidate's scope. */
            existing?: components["schemas"]["ExistingEntry"][];
            /**
             * @description `none`, `conflict`, or `not_applicable` for a text under no key.
             * @example none
             */
            verdict: string;
        };
        /** @enum {string} */
        ContradictionResolution: "supersede" | "keep_both" | "reject";
        /**
         * @description A message in the shape of OpenAI Chat, of Anthropic or neutral, with any other members that its
         *     provider knows.
         * @example {
         *       "role": "user",
         *       "content": "Where does the build fail?"
         *     }
         */
        ConversationMessage: {
            /** @description A text, or a list of blocks. */
            content?: components["schemas"]["JsonValue"];
            /** @description An id that protects the message or names it in reports. */
            id?: string | null;
            /** @description Who speaks: `system`, `developer`, `user`, `assistant` or `tool`. */
            role?: string | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description The shapes that a conversation comes in and goes out.
         * @enum {string}
         */
        ConversationShape: "openai" | "openai_responses" | "anthropic" | "gemini" | "neutral";
        /** @description What the provider's cache is taken to do with a payload, or did with it. */
        CostCacheAssumption: {
            /** @description The state of the provider's cache. */
            assumed: components["schemas"]["CostCacheState"];
            /**
             * Format: int64
             * @description Tokens that are read from the cache.
             */
            read_tokens: number;
            /**
             * Format: int64
             * @description Tokens that are written to it.
             */
            write_tokens: number;
        };
        /**
         * @description The state of the provider's cache that a cost assumes.
         * @enum {string}
         */
        CostCacheState: "warm" | "cold" | "reported";
        /** @description Consecutive messages. */
        CoveredRange: {
            /**
             * @description The index of the first.
             * @example 0
             */
            from: number;
            /**
             * @description The index after the last.
             * @example 12
             */
            to: number;
        };
        /**
         * @description What a key is to be.
         * @example {
         *       "name": "support bot",
         *       "kind": "agent",
         *       "scopes": [
         *         "compile",
         *         "compress"
         *       ],
         *       "limits": {
         *         "requests_per_minute": 600,
         *         "tokens_per_day": 50000000
         *       },
         *       "defaults": {
         *         "target": "anthropic",
         *         "budget": {
         *           "context_window": 64000
         *         }
         *       }
         *     }
         */
        CreateKey: {
            /**
             * @description Any keys of `/compile`: they are used for keys that a request does not have. In addition
             *     `gateway`, an object: its `mode` (`off`, `observe`, `compress` or `fit`) is that of requests
             *     through the gateway without the header `x-contexture-mode`, its `budget` that of mode `fit`
             *     without `x-contexture-budget`.
             */
            defaults?: components["schemas"]["JsonObject"] | null;
            kind?: components["schemas"]["KeyKind"] | null;
            limits?: components["schemas"]["KeyLimits"] | null;
            /** @description For people. */
            name?: string | null;
            /**
             * @description What it may do with captured memory: `capturer`, `reviewer`, `promoter`, `auditor`; when
             *     absent `capturer`.
             */
            roles?: string[] | null;
            /**
             * @description At least one of `compile`, `compress`, `memory:read`, `memory:write`, `sessions:read`,
             *     `sessions:write`, `tools`, `adapters:read`, `adapters:write`, `hooks:read`, `hooks:write`,
             *     `events:read`, `packs:read`, `packs:write`, `metrics:read`, `admin`, `operator`.
             */
            scopes: components["schemas"]["KeyScope"][];
            /**
             * @description Whose things it is for; yours when absent. Another tenant needs the scope `operator`.
             * @example acme
             */
            tenant?: string | null;
        };
        /**
         * @description What a session is to be.
         * @example {
         *       "id": "chat-17",
         *       "ttl": {
         *         "seconds": 604800
         *       },
         *       "defaults": {
         *         "target": "anthropic",
         *         "model": "claude-sonnet-4-5",
         *         "memory": true
         *       }
         *     }
         */
        CreateSession: {
            /**
             * @description Any keys of `/compile` but messages and `session_id`: they are used for keys that a
             *     request does not have, before those of the caller's key. `hooks`, in any form, need the scope
             *     `hooks:write`.
             */
            defaults?: components["schemas"]["JsonObject"] | null;
            /** @description 1 to 256 bytes without control characters; one is made up when absent. */
            id?: string | null;
            ttl?: components["schemas"]["SessionTtl"] | null;
        };
        /**
         * @description A task that was handed to another agent, and its result.
         * @example {
         *       "agent_name": "researcher",
         *       "task": "Find the failing test",
         *       "result": "tests/pay.rs",
         *       "metadata": {
         *         "handoff_depth": 1
         *       }
         *     }
         */
        Delegation: {
            /** @description The agent that worked. */
            agent_name: string;
            /** @description An object that is carried and not read; at most 16 KiB. */
            metadata?: components["schemas"]["JsonObject"] | null;
            /** @description `sync` when absent, `async`, `tool`, `parallel` or `typed`. */
            path?: components["schemas"]["DelegationPath"] | null;
            /** @description May be empty. */
            result?: string | null;
            /** @description `success` when absent, `failed`, `timeout`, `cycle` or `depth`. */
            status?: components["schemas"]["DelegationStatus"] | null;
            /** @description What the agent was asked for. */
            task: string;
        };
        /** @description The body of a call after an agent handed a task to another one. */
        DelegationHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["DelegationHookInput"];
            /**
             * @description What the hook may do.
             * @constant
             */
            kind: "observe";
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "delegation";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "task": "Find the fault",
         *       "result": "It is the linker",
         *       "agent_name": "finder",
         *       "metadata": {
         *         "handoff_depth": 1
         *       },
         *       "status": "success",
         *       "path": "sync"
         *     }
         */
        DelegationHookInput: {
            /** @description who did it */
            agent_name?: string | null;
            /** @description `{handoff_depth, …}` */
            metadata?: components["schemas"]["JsonObject"] | null;
            /** @description how it was handed over */
            path?: string | null;
            /** @description what came back; may be empty */
            result?: string | null;
            /** @description `success`, `failed`, `timeout`, `cycle` or `depth` */
            status?: string | null;
            /** @description what was asked */
            task?: string | null;
        };
        /** @enum {string} */
        DelegationPath: "sync" | "async" | "tool" | "parallel" | "typed";
        /** @description The hand-over of a task to another agent was reported. */
        DelegationRecordedData: {
            /** @description The agent that got the task. */
            agent_name: string;
            /** @description The id of the delegation. */
            delegation_id: string;
            /**
             * Format: int64
             * @description `metadata.handoff_depth`, if it is a number.
             */
            handoff_depth?: number | null;
            /** @description How the task was handed over, as `path` of `POST /sessions/{id}/delegations`. */
            path: string;
            /** @description Bytes of the result. */
            result_bytes: number;
            /** @description How the delegation ended, as `status` of `POST /sessions/{id}/delegations`. */
            status: string;
            /** @description Bytes of the task. */
            task_bytes: number;
        };
        /** @description The hand-over of a task to another agent was reported. */
        DelegationRecordedEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["DelegationRecordedData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "delegation:recorded";
        };
        /** @description A delegation that was reported. */
        DelegationReport: {
            /** @description The agent that worked. */
            agent_name: string;
            /**
             * @description The id of the delegation.
             * @example del_0198c4f2
             */
            id: string;
            /** @description How the agent was called. */
            path: string;
            /** @description The session that delegated. */
            session_id: string;
            /** @description How it ended. */
            status: string;
        };
        /** @enum {string} */
        DelegationStatus: "success" | "failed" | "timeout" | "cycle" | "depth";
        /** @description A call from the queue. */
        Delivery: {
            /** @description The attempts so far, the oldest first. */
            attempts: components["schemas"]["DeliveryAttempt"][];
            /** @description The compile that the call is about, or null. */
            compilation_id?: string | null;
            /**
             * Format: date-time
             * @description When it was made: RFC 3339, in UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the next attempt is due, or the one under way is given up; null where none is.
             */
            due_at?: string | null;
            /** @description The id of the hook. */
            hook: string;
            /**
             * @description Its calls carry it as `webhook-id`.
             * @example msg_0199d2f0a1b27c3d9e4f5a6b7c8d9e0f
             */
            id: string;
            /** @description The point of the call. */
            point: string;
            /** @description The session that the call is about, or null. */
            session_id?: string | null;
            /** @description `queued`, `delivered`, or `dead`: given up. */
            state: string;
        };
        /** @description One attempt. */
        DeliveryAttempt: {
            /** @description When it began: RFC 3339, in UTC. */
            at: string;
            /** @description Null where it succeeded. */
            cause?: string | null;
            /** @description The failure in a sentence, or null. */
            detail?: string | null;
            /**
             * Format: int64
             * @description Milliseconds that it took.
             */
            ms: number;
            /**
             * Format: int32
             * @description From 1.
             */
            number: number;
            /**
             * Format: int32
             * @description Of the answer, or null.
             */
            status?: number | null;
        };
        /** @description Some deliveries. */
        DeliveryList: {
            /** @description The rows of this page. */
            items: components["schemas"]["Delivery"][];
            /** @description For the next request; null at the end. */
            next_cursor?: string | null;
        };
        /** @enum {string} */
        DeliveryMode: "async" | "sync";
        /** @description A place in which two documents differ. */
        DiffStep: {
            /** @description What was there. */
            from?: components["schemas"]["JsonValue"];
            /** @description `add`, `remove` or `replace`. */
            op: string;
            /**
             * @description JSON Pointer into the document.
             * @example /messages/3/content
             */
            path: string;
            /** @description The value there now. */
            value?: components["schemas"]["JsonValue"];
        };
        /** @enum {string} */
        EnforcementMode: "enforce" | "audit";
        /** @description Numbers of events, from the first to the last. */
        EventGap: {
            /**
             * Format: int64
             * @description The first id that is missing.
             */
            from: number;
            /**
             * Format: int64
             * @description The last id that is missing.
             */
            to: number;
        };
        /** @description The body of a call any event of the feed. */
        EventHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["EventHookInput"];
            /**
             * @description What the hook may do.
             * @constant
             */
            kind: "observe";
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "event";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "seq": 7,
         *       "type": "memory:changed",
         *       "at": "2026-12-31T23:59:59Z",
         *       "session_id": null,
         *       "compilation_id": null,
         *       "data": {
         *         "key": "language"
         *       }
         *     }
         */
        EventHookInput: {
            /** @description when it happened */
            at?: string | null;
            /** @description the compilation, or null */
            compilation_id?: components["schemas"]["JsonValue"];
            /** @description what the event tells */
            data?: components["schemas"]["JsonObject"] | null;
            /** @description the event's number */
            seq?: number | null;
            /** @description the session, or null */
            session_id?: components["schemas"]["JsonValue"];
            /** @description the event's name */
            type?: string | null;
        };
        /** @description A page of events. */
        EventList: {
            gap?: components["schemas"]["EventGap"] | null;
            /** @description Whether there is more already. */
            has_more: boolean;
            /** @description The rows of this page. */
            items: components["schemas"]["EventRow"][];
            /**
             * Format: int64
             * @description The `after` of the next page, also where nothing has happened yet.
             */
            next_after: number;
        };
        /** @description An event, by `type`. Later releases have further types: pass over what you do not know. */
        EventRow: components["schemas"]["CompileStartEvent"] | components["schemas"]["CompileDoneEvent"] | components["schemas"]["CompileFailedEvent"] | components["schemas"]["GatewayRequestEvent"] | components["schemas"]["CompressEvent"] | components["schemas"]["ContextInjectedEvent"] | components["schemas"]["MemoryChangedEvent"] | components["schemas"]["MemoryExpiredEvent"] | components["schemas"]["MemoryDeniedEvent"] | components["schemas"]["ToolDeniedEvent"] | components["schemas"]["HookFailedEvent"] | components["schemas"]["HookDeniedEvent"] | components["schemas"]["DelegationRecordedEvent"] | components["schemas"]["SessionSwitchedEvent"] | components["schemas"]["CacheExpiringEvent"] | components["schemas"]["HookDisabledEvent"] | components["schemas"]["HookLostEvent"] | components["schemas"]["StreamGapEvent"] | components["schemas"]["StreamOverflowEvent"];
        /** @description What opens one stream. */
        EventTicket: {
            /**
             * Format: int64
             * @description Seconds for which a stream can be opened with it.
             */
            expires_in_seconds: number;
            /**
             * @description What to send as `ticket` of `GET /events`.
             * @example cXJ6Vn0mR3lQ8yTqk2s1WbHd
             */
            ticket: string;
        };
        /** @description An entry that says otherwise. */
        ExistingEntry: {
            /** @description The candidate that it was. */
            candidate?: string | null;
            /** @description The key of the entry. */
            key: string;
        };
        /**
         * @description What to give back: one of the messages, a `text`, an answer's `id`, or an `artifact`.
         * @example {
         *       "artifact": "9f2c41d07be8a3556c1d90aa"
         *     }
         */
        ExpandRequest: {
            /** @description The id of an artifact. */
            artifact?: string | null;
            /** @description The conversation of a Gemini request. */
            contents?: components["schemas"]["JsonValue"][] | null;
            /** @description The id of an answer of `/compress`. */
            id?: string | null;
            /** @description Items of an `OpenAI` Responses request. */
            input?: components["schemas"]["JsonValue"][] | null;
            /** @description Messages as they were returned, in their shape; newer ones may follow. */
            messages?: components["schemas"]["ConversationMessage"][] | null;
            /**
             * @description Originals that the caller kept, by id. Where nothing else is known of a text, the one that
             *     equals what it decodes to, but for what `equivalent` edits leave out, is taken.
             */
            originals?: {
                [key: string]: string;
            } | null;
            /**
             * @description A text as it was returned: its original, if that is known here; else it is
             *     decoded from its own notations.
             */
            text?: string | null;
        };
        /** @description The originals, under the key that the messages came in. */
        ExpandedList: {
            /**
             * @description Messages, by index, that bear marks of ours and no longer stand where we put them. They
             *     were decoded from their own text as far as that goes.
             */
            edited: number[];
            /** @description Messages that came back. */
            expanded: number;
            /**
             * @description Whether every message is known to be the original, byte for byte. One that is not known is
             *     not where it bears marks of something left out.
             */
            identical: boolean;
            /** @description What is no longer available; it was passed through as it came. */
            missing: components["schemas"]["MissingOriginal"][];
            /** @description Messages that were their own originals. */
            unchanged: number;
        } & {
            /** @description The messages with their original texts. */
            messages?: components["schemas"]["JsonObject"][] | null;
            /** @description The original text. */
            text?: string | null;
        };
        /** @enum {string} */
        ExplainMode: "summary" | "full";
        /** @description One faulty place of a request. */
        FieldError: {
            /**
             * @description What is wrong, with the value, and what is allowed.
             * @example must be one of `system`, `user`, `assistant`, `tool`
             */
            detail: string;
            /** @description The known key or name nearest to an unknown one. */
            did_you_mean?: string | null;
            /**
             * @description JSON Pointer (RFC 6901) into the request; empty for the whole of it.
             * @example /messages/3/role
             */
            pointer: string;
        };
        /** @description The first place where a payload leaves the one before it. */
        FirstChange: {
            /**
             * @description JSON Pointer into this payload.
             * @example /messages/14
             */
            pointer: string;
            split?: components["schemas"]["SystemSplitPlace"] | null;
            /**
             * Format: int64
             * @description Tokens from there to the end: what the provider has to read again.
             */
            tokens_behind: number;
            /** @description Why. */
            why: components["schemas"]["ChangeReason"];
        };
        /**
         * @description Where a session is forked.
         * @example {
         *       "new_session_id": "chat-17-b"
         *     }
         */
        ForkSession: {
            /** @description One is made up when absent. */
            new_session_id?: string | null;
            /** @description What it was at that snapshot; what it is when absent. */
            snapshot_id?: string | null;
        };
        /** @description The blocks of a member of a request. */
        GatewayBlocks: {
            /**
             * @description 16 hex digits for each tool, system text or message, whatever marks of caching it has.
             * @example [
             *       "f2ca1bb6c7e907d0"
             *     ]
             */
            hashes: string[];
            /**
             * @description The name of the member.
             * @example messages
             */
            member: string;
        };
        /** @description What a caller may set. */
        GatewayConfig: {
            /** @description Whether what people and models wrote may be shortened too. */
            compress_user_messages?: boolean | null;
            /**
             * Format: int64
             * @description Messages at the beginning that stay as they are: a provider's cache holds them.
             */
            frozen_message_count?: number | null;
            /**
             * @description Absent or `ccr`: what is left out is named by `hash=` and the id of its artifact. Any other
             *     word: nothing is named, as for a model that has no tool to ask.
             */
            mode?: string | null;
            /** @description How lossless forms may show values: `plain`, `computed` or `none`. If absent: `"plain"`. */
            notations?: string | null;
            /**
             * Format: int64
             * @description Newest messages that lose nothing.
             */
            protect_recent?: number | null;
        };
        /** @description How the server is, in the words of this wire. */
        GatewayHealth: {
            /** @description Whether requests can be taken. */
            ready: boolean;
            /**
             * @description `healthy`, or `unhealthy` where work should not be sent here.
             * @example healthy
             */
            status: string;
            /**
             * @description The release of the program.
             * @example 0.1.0
             */
            version: string;
        };
        /** @description A message that is sent with forms in the place of its texts. */
        GatewayMessageEdit: {
            /** @description The index in the list of messages. */
            message: number;
            /**
             * @description `on_arrival`, or `compaction` if the message has its forms from a compaction point.
             * @example on_arrival
             */
            rule: string;
            /**
             * Format: int64
             * @description Tokens that the message has less than it came with.
             */
            saved_tokens: number;
        };
        /** @description A request through the gateway. */
        GatewayReport: {
            /**
             * Format: int64
             * @description Tokens of the memory data, the state and the text of hooks in the request: mode `session`.
             */
            added_tokens: number;
            /** @description What was sent, a hash for each block, in the order in which a provider caches them. */
            blocks: components["schemas"]["GatewayBlocks"][];
            /** @description Whether the request passed a compaction point: modes `fit` and `session`. */
            compacted: boolean;
            /**
             * Format: int64
             * @description From the request to the end of the response.
             */
            duration_ms: number;
            /** @description The messages that were edited, new ones and those of earlier requests. */
            edits: components["schemas"]["GatewayMessageEdit"][];
            /**
             * @description `messages`, `chat_completions`, `responses` or `generate_content`.
             * @example messages
             */
            endpoint: string;
            /**
             * @description Keys of the memory entries in the request: mode `session`.
             * @example [
             *       "style"
             *     ]
             */
            memory: string[];
            /**
             * @description `observe`, `compress`, `fit` or `session`.
             * @example compress
             */
            mode: string;
            /**
             * Format: int64
             * @description In mode `observe`: what `compress` would have saved of the newest messages.
             */
            observed_tokens: number;
            /**
             * Format: int64
             * @description Tokens that the request has less than it came with.
             */
            saved_tokens: number;
            /**
             * @description Why something stayed as it came; null if nothing did.
             * @example deadline
             */
            skipped?: string | null;
            /**
             * Format: int32
             * @description The status of the provider's response.
             * @example 200
             */
            status: number;
            tokens?: components["schemas"]["GatewayTokens"] | null;
            /**
             * Format: int64
             * @description The part of `saved_tokens` in the newest messages, which no request was saved before.
             */
            unique_saved_tokens: number;
            /**
             * @description The name of the upstream.
             * @example anthropic
             */
            upstream: string;
            /**
             * @description The wire format: `anthropic`, `openai` or `gemini`.
             * @example anthropic
             */
            wire: string;
        };
        /**
         * @description Messages in any shape that `/compress` takes. What is not known is passed over.
         * @example {
         *       "messages": [
         *         {
         *           "role": "user",
         *           "content": "Where does it fail?"
         *         }
         *       ],
         *       "model": "gpt-4o"
         *     }
         */
        GatewayRequest: {
            config?: components["schemas"]["GatewayConfig"] | null;
            /** @description The conversation. */
            messages: components["schemas"]["JsonValue"][];
            /** @description Decides the tokenizer. */
            model?: string | null;
            /**
             * Format: int64
             * @description Tokens that the answer may take; old turns may be summarised then.
             */
            token_budget?: number | null;
        };
        /** @description A request for a model through the gateway has ended. */
        GatewayRequestData: {
            /**
             * Format: int64
             * @description Tokens of the blocks that mode `session` added.
             */
            added_tokens: number;
            /** @description The code of an error of this service, or null. */
            code?: string | null;
            /** @description Whether the request passed a compaction point. */
            compacted: boolean;
            cost?: components["schemas"]["CompileCost"] | null;
            /**
             * Format: int64
             * @description Milliseconds from the request to the end of the response.
             */
            duration_ms: number;
            /**
             * @description `messages`, `chat_completions`, `responses` or `generate_content`.
             * @example messages
             */
            endpoint: string;
            /** @description The id of the caller's key, or null. */
            key?: string | null;
            /**
             * @description `observe`, `compress`, `fit` or `session`.
             * @example compress
             */
            mode: string;
            /** @description The model, as the request names it. */
            model?: string | null;
            /**
             * Format: int64
             * @description In mode `observe`: what `compress` would have saved of the newest messages.
             */
            observed_tokens: number;
            /** @description The hash of the body that was sent; null if the body was not read. */
            payload_hash?: string | null;
            /** @description How much of the request is recorded: `none`, `hashes` or `full`. */
            record: string;
            /**
             * Format: int64
             * @description Tokens that the request has less than it came with.
             */
            saved_tokens: number;
            /** @description Why something stayed as it came; null if nothing did. */
            skipped?: string | null;
            /**
             * Format: int32
             * @description The status of the response.
             */
            status: number;
            tokens?: components["schemas"]["GatewayTokens"] | null;
            /**
             * Format: int64
             * @description The part of `saved_tokens` in the newest messages.
             */
            unique_saved_tokens: number;
            /** @description The name of the upstream. */
            upstream: string;
            /**
             * @description `anthropic`, `openai` or `gemini`.
             * @example anthropic
             */
            wire: string;
        };
        /** @description A request for a model through the gateway has ended. */
        GatewayRequestEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["GatewayRequestData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "gateway:request";
        };
        /** @description How many requests there were. */
        GatewayRequestStats: {
            /**
             * @description The same by the model that they name: `other` for one that is not in the table.
             * @example {
             *       "gpt-4o": 12
             *     }
             */
            by_model: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description All of them.
             */
            total: number;
        };
        /** @description The resulting messages. */
        GatewayResponse: {
            /** @description The ids of the originals that the messages name. */
            ccr_hashes: string[];
            /**
             * Format: double
             * @description Tokens after for each token before.
             * @example 0.31
             */
            compression_ratio: number;
            /** @description True where the messages are as they came. */
            compression_skipped?: boolean | null;
            /** @description A list; where nothing could be made of them, whatever came. */
            messages: components["schemas"]["JsonValue"];
            /** @description Why they are. */
            skip_reason?: string | null;
            /**
             * Format: int64
             * @description Tokens of `messages`.
             */
            tokens_after: number;
            /**
             * Format: int64
             * @description 0 where the messages were passed on uncounted, like the two below.
             */
            tokens_before: number;
            /**
             * Format: int64
             * @description `tokens_before` less `tokens_after`.
             */
            tokens_saved: number;
            /**
             * @description The rules that changed something.
             * @example [
             *       "adapter:log",
             *       "lossless:table"
             *     ]
             */
            transforms_applied: string[];
        };
        /** @description Sums of the caller's key since the beginning of the day in UTC. */
        GatewayStats: {
            requests: components["schemas"]["GatewayRequestStats"];
            tokens: components["schemas"]["GatewayTokenStats"];
        };
        /** @description Tokens of the requests. */
        GatewayTokenStats: {
            /**
             * Format: int64
             * @description As they were sent on.
             */
            input: number;
            /**
             * Format: int64
             * @description `total_before_compression` less `input`.
             */
            saved: number;
            /**
             * Format: double
             * @description `saved` of a hundred that came.
             * @example 41.5
             */
            savings_percent: number;
            /**
             * Format: int64
             * @description As they came.
             */
            total_before_compression: number;
        };
        /** @description Tokens of a request, as the provider counted them. */
        GatewayTokens: {
            /**
             * Format: int64
             * @description Tokens of the response; null if it did not say.
             */
            output?: number | null;
            /**
             * Format: int64
             * @description Tokens that were read from the cache.
             */
            read: number;
            /**
             * Format: int64
             * @description Tokens of the input that the cache had no part in.
             */
            uncached: number;
            /**
             * Format: int64
             * @description Tokens that were written to the cache.
             */
            written: number;
        };
        /** @description A payload for `generateContent`. */
        GeminiPayload: {
            /** @description The name of stored content. */
            cachedContent?: string | null;
            /** @description The contents. */
            contents: components["schemas"]["JsonObject"][];
            /** @description System text. */
            systemInstruction?: components["schemas"]["JsonObject"] | null;
            /** @description The tools; absent if there are none. */
            tools?: components["schemas"]["JsonObject"][] | null;
        };
        /** @description The result of one compile of a golden set. */
        GoldenCase: components["schemas"]["GoldenRow"] & {
            /**
             * @description The problem that prevents it, by its code.
             * @example replay_divergence
             */
            code?: string | null;
            /** @description What differs or failed, in a sentence. */
            detail?: string | null;
            /**
             * @description The earliest stage that gave something else.
             * @example policy
             */
            first_divergent_stage?: string | null;
            /**
             * @description `equal`, `diverged`, `failed` if it cannot be run, or `engine_changed` if another engine made
             *     the record.
             * @example diverged
             */
            outcome: string;
            outcome_change?: components["schemas"]["OutcomeChange"] | null;
            refusal?: components["schemas"]["CompileRefusal"] | null;
            /** @description The stages that parted by themselves, not because one before them did. */
            root_stages: string[];
            /** @description The stages whose input or output is not the same. */
            stages: components["schemas"]["StageRow"][];
        };
        /** @description The golden set of a version. */
        GoldenList: {
            /** @description The rows of this page. */
            items: components["schemas"]["GoldenRow"][];
            /**
             * @description The version of the pack, `id@version`.
             * @example pack.dbops@1.4.0
             */
            pack_ref: string;
        };
        /** @description The compiles of a golden set. */
        GoldenRequest: {
            /**
             * @description Ids of compiles under this very version, each with a record in full.
             * @example [
             *       "cmp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b"
             *     ]
             */
            compilations: string[];
        };
        /** @description A compile of a golden set. */
        GoldenRow: {
            /**
             * @description The record that is the expected result.
             * @example cmp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b
             */
            compilation_id: string;
            /**
             * Format: date-time
             * @description When it was compiled.
             * @example 2026-12-31T23:59:59Z
             */
            compiled_at: string;
            /**
             * Format: date-time
             * @description When it was taken into the set.
             */
            created_at: string;
            /** @description Whether that is this engine. Where it is not, what differs may be the engine's doing. */
            current: boolean;
            /** @description Release and semantics of the engine that compiled it. */
            engine: string;
            /** @description SHA-256 of the payload's bytes; null where the pack refused. */
            payload_hash?: string | null;
            /** @description `compiled` or `refused`. */
            status: string;
        };
        /** @description The results of a golden set. */
        GoldenRun: {
            /**
             * @description The version that it was run under.
             * @example pack.dbops@1.5.0
             */
            against: string;
            /** @description In the order of the set. */
            cases: components["schemas"]["GoldenCase"][];
            /** @description Cases that gave something else. */
            diverged: number;
            /** @description Compiles whose records another engine made: make the set again from new records. */
            engine_changed: number;
            /** @description Cases that gave the same bytes. */
            equal: number;
            /** @description Cases that could not be run. */
            failed: number;
            /**
             * @description The version that was run, `id@version`.
             * @example pack.dbops@1.4.0
             */
            pack_ref: string;
            /**
             * @description `equal` if every compile is; `diverged` if one diverged or failed; otherwise
             *     `engine_changed`.
             */
            status: string;
        };
        /** @description What a golden set is run under. */
        GoldenRunRequest: {
            /**
             * @description A published version; the set's own if it is absent.
             * @example pack.dbops@1.5.0
             */
            against?: string | null;
        };
        /**
         * @description What a guard returns.
         * @example {
         *       "decision": "deny",
         *       "reason": "the command deletes files"
         *     }
         */
        GuardAnswer: {
            /** @description A word for programs. */
            code?: string | null;
            /** @description `allow` or `deny`. */
            decision: components["schemas"]["GuardVerdict"];
            /** @description Why it is denied: part of the problem document that the caller gets. */
            reason?: string | null;
        };
        /**
         * @description Whether a guard lets the request go on.
         * @enum {string}
         */
        GuardVerdict: "allow" | "deny";
        HealthReport: {
            /**
             * @description `ok`, or `degraded` where the store cannot be written.
             * @example ok
             */
            status: string;
            /** @description Why not: `full`, `unavailable` or `lost`; absent where all is well. */
            store?: string | null;
            /**
             * @description The names of the gateway's upstreams, which are not asked; absent where there are none.
             * @example [
             *       "anthropic",
             *       "openai"
             *     ]
             */
            upstreams?: string[];
        };
        /** @description The message at the head of the history that replaces the summarised ones. */
        HistorySummary: {
            /**
             * @description Who wrote it: `extractive` where it is quotes, `hook:ID`, or `model:NAME`.
             * @example extractive
             */
            by: string;
            /** @description The messages that it replaces, by their indexes in the request's list. */
            covers: components["schemas"]["CoveredRange"][];
        };
        /** @description The body of a call, by `point`. */
        HookCall: components["schemas"]["BeforeCompressHookCall"] | components["schemas"]["SummarizeHookCall"] | components["schemas"]["AfterCompressHookCall"] | components["schemas"]["BeforeCompileHookCall"] | components["schemas"]["TransformContextHookCall"] | components["schemas"]["MemoryUpdateHookCall"] | components["schemas"]["MemoryChangedHookCall"] | components["schemas"]["MemoryExpiredHookCall"] | components["schemas"]["DelegationHookCall"] | components["schemas"]["SessionSwitchHookCall"] | components["schemas"]["CacheExpiringHookCall"] | components["schemas"]["ToolCallHookCall"] | components["schemas"]["ToolResultHookCall"] | components["schemas"]["CompressFormatHookCall"] | components["schemas"]["RetrieveEvidenceHookCall"] | components["schemas"]["RecallMemoryHookCall"] | components["schemas"]["EventHookCall"];
        /** @description The attempt to deliver a call. */
        HookCallDelivery: {
            /**
             * Format: int32
             * @description From 1; each attempt has the same `webhook-id`.
             */
            attempt: number;
            /** @description Whether a record is run again. */
            replay: boolean;
            /**
             * Format: date-time
             * @description When it was sent: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            sent_at: string;
            /** @description Whether it is a trial of `POST /hooks/test` or `POST /hooks/{id}/test`. */
            test: boolean;
        };
        /** @description The compile or the session that a call is about; what does not apply is null. */
        HookCallScope: {
            /** @description The agent whose request it is. */
            agent?: string | null;
            /** @description The id of the compile. */
            compilation_id?: string | null;
            /** @description The id of the session. */
            session_id?: string | null;
            /**
             * @description The tenant of the request.
             * @example default
             */
            tenant: string;
            /**
             * Format: int64
             * @description The turn of the session.
             */
            turn?: number | null;
        };
        /** @description What changes of a hook: any of its members; null takes one away. */
        HookChange: {
            [key: string]: unknown;
        };
        /** @description A hook that was asked once more. */
        HookCheckRow: {
            /** @description Whether it was asked something else than was recorded. */
            asked_otherwise: boolean;
            /** @description Whether its definition is another one than the record has. */
            config_changed: boolean;
            /**
             * @description The id of the hook.
             * @example rag
             */
            hook: string;
            /**
             * Format: int32
             * @description How often the point was reached before.
             */
            occurrence: number;
            /** @description `equal`, `differs`, `failed`, or `gone` where there is no such hook any more. */
            outcome: string;
            /**
             * @description The point at which it ran.
             * @example before_compile
             */
            point: string;
        };
        /**
         * @description A hook: where it stands, what it is, and whom it asks. One of `point` and `points`, one of `url`
         *     and `builtin`.
         * @example {
         *       "id": "pii",
         *       "point": "memory_update",
         *       "kind": "guard",
         *       "url": "https://hooks.example.com/pii",
         *       "headers": {
         *         "Authorization": "Bearer 8f2c"
         *       },
         *       "timeout_ms": 800
         *     }
         */
        HookDefinition: {
            /** @description Must be true where a guard's failure is to count as leave. */
            allow_fail_open?: boolean | null;
            /** @description `truncate`, `redact`, `deny_command` or `secret_scan`. */
            builtin?: components["schemas"]["BuiltInHook"] | null;
            /** @description Settings of the built-in hook. */
            config?: components["schemas"]["JsonObject"] | null;
            /** @description Of an observe hook: `async`, or `sync`, which holds the answer until it was told. If absent: `"async"`. */
            delivery?: components["schemas"]["DeliveryMode"] | null;
            /** @description Whether it is called. If absent: `true`. */
            enabled?: boolean | null;
            /** @description Sent with each call and never shown. */
            headers?: components["schemas"]["JsonObject"] | null;
            /**
             * @description 1 to 64 of `a-z`, `0-9`, `.`, `_`, `-`; made up when absent.
             * @example pii
             */
            id?: string | null;
            /** @description `include` and `exclude`: JSON Pointers to what of the input leaves the service. */
            input?: components["schemas"]["JsonObject"] | null;
            /** @description `guard`, `transform`, `provide` or `observe`. */
            kind: components["schemas"]["HookKind"];
            /**
             * @description Whether it runs for requests with `"hooks": false`, too. True by default for a guard that a
             *     caller with a key registers.
             */
            mandatory?: boolean | null;
            /** @description Which calls it is for: `tools`, `args`, `agents`, `sessions`, `events`, `status`, `denials`. */
            match?: components["schemas"]["JsonObject"] | null;
            /**
             * Format: int64
             * @description Of a provide hook: tokens that its text may take. If absent: `1024`.
             */
            max_tokens?: number | null;
            /** @description `enforce`, or `audit`: it is asked, and nothing of what it says holds. If absent: `"enforce"`. */
            mode?: components["schemas"]["EnforcementMode"] | null;
            /** @description `deny` (guards), `fail` or `skip`; by point and kind when absent. */
            on_failure?: components["schemas"]["OnFailure"] | null;
            /** @description One of `GET /hook-points`. */
            point?: components["schemas"]["HookPointName"] | null;
            /** @description Several points, in place of `point`. */
            points?: components["schemas"]["HookPointName"][] | null;
            /**
             * Format: int64
             * @description Higher runs first among hooks of a kind. If absent: `0`.
             */
            priority?: number | null;
            /** @description Whether a guard is asked again where a transform changed what it saw. */
            reverify?: boolean | null;
            /** @description `{"session_id"}`: for one session. */
            scope?: components["schemas"]["JsonObject"] | null;
            /**
             * Format: int64
             * @description 30,000 at most; by kind when absent.
             */
            timeout_ms?: number | null;
            /** @description https; http and private addresses only where the operator allows them. */
            url?: string | null;
        };
        /** @description A hook's no ended a compile or a request through the gateway. */
        HookDeniedData: {
            /** @description The code that the hook gave, or null. */
            code?: string | null;
            /** @description The id of the hook. */
            hook: string;
            /**
             * @description The point of the call.
             * @example transform_context
             */
            point: string;
        };
        /** @description A hook's no ended a compile or a request through the gateway. */
        HookDeniedEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["HookDeniedData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "hook:denied";
        };
        /** @description What a `PUT` of a hook would change. */
        HookDiff: {
            /**
             * @description One for each member that changes; empty if the hook is new or stays as it is. Steps without
             *     `from` and `value` are of what is never shown.
             */
            changes: components["schemas"]["DiffStep"][];
            /**
             * Format: int64
             * @description The revision of the hook that is registered; null if there is none of this id.
             */
            revision?: number | null;
        };
        /** @description The service disabled a hook. */
        HookDisabledData: {
            /**
             * @description `gone` or `failing`.
             * @example gone
             */
            because: string;
            /** @description The id of the hook. */
            hook: string;
        };
        /** @description The service disabled a hook. */
        HookDisabledEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["HookDisabledData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "hook:disabled";
        };
        /**
         * @description A hook gave no answer. `kind` and `status` are of a call in a request, `delivery` and `attempts` of
         *     one from the queue.
         */
        HookFailedData: {
            /**
             * Format: int32
             * @description How often the queued call was tried.
             */
            attempts?: number | null;
            /**
             * @description The failure in a word.
             * @example timeout
             */
            cause?: string | null;
            /** @description The id of the queued call. */
            delivery?: string | null;
            /** @description The id of the hook. */
            hook: string;
            /** @description What the hook may do. */
            kind?: string | null;
            /**
             * @description The point of the call.
             * @example before_compile
             */
            point: string;
            /**
             * Format: int32
             * @description The status of the hook's response; null if there was none.
             */
            status?: number | null;
        };
        /**
         * @description A hook gave no answer. `kind` and `status` are of a call in a request, `delivery` and `attempts` of
         *     one from the queue.
         */
        HookFailedEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["HookFailedData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "hook:failed";
        };
        /** @enum {string} */
        HookKind: "guard" | "transform" | "provide" | "observe";
        /** @description Some hooks. */
        HookList: {
            /** @description The rows of this page. */
            items: components["schemas"]["HookRow"][];
            /** @description For the next request; null at the end. */
            next_cursor?: string | null;
        };
        /** @description Queued calls of a hook were deleted, because too many were queued. */
        HookLostData: {
            /**
             * Format: int64
             * @description Calls that were deleted since the last such event.
             */
            count: number;
            /** @description The id of the hook. */
            hook: string;
        };
        /** @description Queued calls of a hook were deleted, because too many were queued. */
        HookLostEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["HookLostData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "hook:lost";
        };
        /** @description The order of hooks. */
        HookOrder: {
            /** @description By point, after a change: `added`, `removed`, `reordered`. */
            changes: components["schemas"]["JsonObject"];
            /** @description As it was given. */
            manifest: components["schemas"]["HookOrderRequest"];
            /** @description As it comes out: ids by kind by point. */
            order: components["schemas"]["JsonObject"];
            /** @description The SHA-256 of `order`; records of compiles hold it. */
            order_hash: string;
            /**
             * Format: int64
             * @description From 1, one more with each change; 0 where none was ever given.
             */
            revision: number;
            /** @description Ids that are listed and that no hook of their point has. */
            unknown_ids: string[];
        };
        /**
         * @description The hooks that are to run first at a point, in their order.
         * @example {
         *       "points": {
         *         "tool_result": [
         *           "redact",
         *           "truncate"
         *         ]
         *       }
         *     }
         */
        HookOrderRequest: {
            /** @description Lists of ids by point. */
            points: components["schemas"]["JsonObject"];
        };
        /** @description Where hooks can stand. */
        HookPoint: {
            /** @description What happens at the point, in a sentence. */
            about: string;
            /** @description The members of a call's `input`, and what each is. */
            input: components["schemas"]["JsonObject"];
            /** @description The kinds of hooks that the point takes. */
            kinds: components["schemas"]["HookPointKind"][];
            /** @description JSON Pointer to what a transform changes, or null. */
            payload?: string | null;
            /**
             * @description The name of the point.
             * @example tool_result
             */
            point: string;
        };
        /** @description A kind of hook at a point, and its defaults there. */
        HookPointKind: {
            /** @description A sketch of the response. */
            answer: string;
            /** @description The kind of hook. */
            kind: string;
            /** @description What a failed call means if the hook does not say it. */
            on_failure: string;
            /**
             * Format: int64
             * @description Milliseconds that a call may take if the hook does not say it.
             */
            timeout_ms: number;
        };
        /** @enum {string} */
        HookPointName: "before_compress" | "summarize" | "after_compress" | "before_compile" | "transform_context" | "memory_update" | "memory_changed" | "memory_expired" | "delegation" | "session_switch" | "cache_expiring" | "tool_call" | "tool_result" | "compress_format" | "retrieve_evidence" | "recall_memory" | "event";
        /** @description Every hook point. */
        HookPoints: {
            /** @description The rows of this page. */
            items: components["schemas"]["HookPoint"][];
            /** @description Always null: there are no more. */
            next_cursor?: string | null;
        };
        /** @description The queued calls of a hook. */
        HookQueue: {
            /**
             * Format: int64
             * @description Calls that were deleted because more than 100,000 were queued.
             */
            lost: number;
            /**
             * Format: int64
             * @description Calls that wait for their next attempt or have one under way.
             */
            queued: number;
        };
        /** @description The outcome of a hook, as a record keeps it; what does not apply is null. */
        HookRecord: {
            /** @description The text that the hook returned. */
            answer?: string | null;
            /**
             * Format: int32
             * @description Tries over the network.
             */
            attempts: number;
            /**
             * Format: int32
             * @description 1 if nothing of the outcome was applied, because the hook has `mode: "audit"`; otherwise 0.
             */
            audit: number;
            /** @description The failure in a word. */
            cause?: string | null;
            /**
             * Format: int32
             * @description 1 if some of what it provided did not fit its cap; otherwise 0.
             */
            clipped: number;
            /** @description The code that a guard gave. */
            code?: string | null;
            delivery?: components["schemas"]["RecordedDelivery"] | null;
            /** @description The failure in a sentence. */
            detail?: string | null;
            /**
             * @description The id of the hook.
             * @example redact
             */
            hook: string;
            /**
             * @description In a record in full, the JSON text of the member `input` that was sent; null if nothing was sent, as to
             *     a built-in hook, or if it is no longer kept.
             */
            input?: string | null;
            /**
             * @description What the hook may do.
             * @example transform
             */
            kind: string;
            /**
             * Format: int64
             * @description From 0, one more with each call of the hook at the point.
             */
            occurrence: number;
            /**
             * @description As in a report; of a hook with `mode: "audit"`, what an enforced one would have done.
             * @example applied
             */
            outcome: string;
            /**
             * @description The point of the call.
             * @example tool_result
             */
            point: string;
            /** @description Why a guard denied. */
            reason?: string | null;
            /** @description The hash of what was sent. */
            request_digest?: string | null;
            /**
             * Format: int64
             * @description The revision of the hook.
             */
            revision: number;
            /** @description Why the hook was skipped. */
            skip?: string | null;
            /**
             * Format: int32
             * @description The status of the hook's response; 0 if there was none.
             */
            status: number;
            /**
             * Format: int64
             * @description Tokens that what it provided takes.
             */
            tokens: number;
            /**
             * Format: int64
             * @description Microseconds that the call took.
             */
            took_us: number;
        };
        /** @description A hook to be registered, with a secret of the caller's own if it is to have one. */
        HookRegistration: components["schemas"]["HookDefinition"] & {
            /**
             * @description `whsec_` and the base64 of 24 to 64 bytes, which may be the secret of several hooks. A new one is
             *     made when absent, and by `PUT` the one of before stays.
             */
            secret?: string | null;
        };
        /** @description A hook that was reached. */
        HookReport: {
            /** @description True if some of what it provided did not fit its cap; otherwise absent. */
            clipped?: boolean;
            /**
             * @description The id of the hook.
             * @example redact
             */
            id: string;
            /**
             * @description What the hook may do: `guard`, `transform`, `provide` or `observe`.
             * @example transform
             */
            kind: string;
            /**
             * Format: int64
             * @description Milliseconds that the call took.
             */
            ms: number;
            /**
             * @description `allowed`, `denied`, `applied`, `unchanged`, `delivered`, `queued`, `failed`, `skipped` or
             *     `would_call` (a dry run); of a hook with `mode: "audit"`, `would_deny` or `would_apply`.
             * @example applied
             */
            outcome: string;
            /**
             * @description The point of the call.
             * @example tool_result
             */
            point: string;
            /**
             * Format: int32
             * @description Tokens that what it provided takes.
             */
            tokens: number;
            /** @description The cause of a failure, the reason of a denial, or why the hook was skipped. */
            why?: string | null;
        };
        /** @description A hook as it is registered, every default filled in; what its kind has no use for is absent. */
        HookRow: {
            /** @description Whether a guard may let requests through if it fails. */
            allow_fail_open?: boolean | null;
            /** @description The built-in hook that it is, or null. */
            builtin?: string | null;
            /** @description `open` while it is not called because it failed again and again. */
            circuit: string;
            /** @description Options of a built-in hook, or null. */
            config?: components["schemas"]["JsonObject"] | null;
            /**
             * Format: date-time
             * @description When it was made: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            created_at?: string | null;
            /** @description Whether observers are called in the background or before the response. */
            delivery?: string | null;
            /** @description Why the service disabled it, or null. */
            disabled_because?: string | null;
            /** @description Whether it is called. */
            enabled: boolean;
            /** @description Since when its queued calls have done nothing but fail, or null. */
            failing_since?: string | null;
            /** @description Names of the headers that are sent. */
            headers?: string[] | null;
            /**
             * @description The id of the hook.
             * @example pii
             */
            id: string;
            /** @description The members of its input, or null for all. */
            input?: components["schemas"]["JsonObject"] | null;
            /** @description What it may do: `guard`, `transform`, `provide` or `observe`. */
            kind: string;
            /** @description Whether it runs for requests with `"hooks": false`, too. */
            mandatory: boolean;
            /** @description Which calls it gets, or null for all. */
            match?: components["schemas"]["JsonObject"] | null;
            /**
             * Format: int64
             * @description Tokens of what a provider may add.
             */
            max_tokens?: number | null;
            /** @description Whether its responses count (`enforce`) or are recorded only (`audit`). */
            mode: string;
            /** @description What a failed call means: `deny`, `fail` or `skip`. */
            on_failure?: string | null;
            /** @description Where it runs. */
            points: string[];
            /**
             * Format: int64
             * @description Hooks with a higher number run first, among hooks of a kind.
             */
            priority: number;
            /** @description The calls that are queued for it. */
            queue: components["schemas"]["HookQueue"];
            /** @description Whether it sees the list again after another hook changed it. */
            reverify?: boolean | null;
            /**
             * Format: int64
             * @description From 1, one more with each change.
             */
            revision: number;
            /** @description Whose requests call it. */
            scope?: components["schemas"]["JsonObject"] | null;
            /** @description `api`, or `file` for those of the operator's file, which cannot be changed here. */
            source: string;
            /**
             * Format: int64
             * @description Milliseconds that a call may take.
             */
            timeout_ms: number;
            /**
             * Format: date-time
             * @description When it was last changed: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            updated_at?: string | null;
            /**
             * @description Without path and query, which may hold secrets: `…` replaces them.
             * @example https://hooks.example.com/…
             */
            url?: string | null;
        };
        /** @description The outcome of a trial. */
        HookTestResult: {
            /**
             * Format: int32
             * @description Tries over the network.
             */
            attempts: number;
            /** @description The failure in a sentence, or null. */
            detail?: string | null;
            /** @description What would have come of it: `payload`, `fragments` and `answers`, or a guard's denial. */
            effect?: components["schemas"]["JsonObject"] | null;
            /** @description The id of the hook. */
            hook: string;
            /** @description What it may do: `guard`, `transform`, `provide` or `observe`. */
            kind: string;
            /**
             * Format: int64
             * @description Milliseconds that the call took.
             */
            ms: number;
            /** @description As in a report: `allowed`, `denied`, `applied`, `unchanged`, `delivered`, `failed`, `skipped`. */
            outcome?: string | null;
            /** @description The point of the call. */
            point: string;
            /** @description What was sent: `method`, `url`, `headers`, `body`; null where nothing was. */
            request?: components["schemas"]["JsonObject"] | null;
            /** @description What came back: `status`, `body`. */
            response?: components["schemas"]["JsonObject"] | null;
            /** @description What the call was signed with, where that was made up for it. */
            secret?: string | null;
            /** @description The cause of a failure, or the reason of a denial. */
            why?: string | null;
        };
        /** @description What the newest requests of a session carried, and what of it was used. */
        Inventory: {
            /**
             * @description The record whose conversation shows what was used; null if none of these records is in full. `tools` is
             *     empty then, and uses are null.
             */
            compilation_id?: string | null;
            /**
             * @description Memory entries that were shown, by key. A message of the model uses an entry if it calls a memory tool with
             *     the entry's key (or the path of its file), or repeats the entry's value word for word in its text or in the
             *     arguments of a call. A value of fewer than 8 characters is not looked for: without a call, uses of its entry
             *     are null.
             */
            memory: components["schemas"]["CarriedItem"][];
            /** @description Records that were looked at. */
            records: number;
            /**
             * @description Skills whose instructions were sent, by name. A message of the model uses a skill if it calls a tool of the
             *     skill's `allowed_tools`; of a skill without them, or that is no longer there, uses are null.
             */
            skills: components["schemas"]["CarriedItem"][];
            /** @description Tools of its request, in their order. */
            tools: components["schemas"]["CarriedTool"][];
        };
        /** @description An object with any members. */
        JsonObject: {
            [key: string]: unknown;
        };
        /** @description Any JSON value. */
        JsonValue: unknown;
        /** @description How many of the newest tool results stay: a number, 3 when absent, or `all`. */
        KeptToolResults: number | string;
        /**
         * @description The kind of caller; `service` when absent.
         * @enum {string}
         */
        KeyKind: "user" | "agent" | "service" | "automation";
        /** @description How much a key may ask for; what is absent is not limited. */
        KeyLimits: {
            /**
             * Format: int64
             * @description Requests in a minute.
             */
            requests_per_minute?: number | null;
            /**
             * Format: int64
             * @description Tokens of what is compiled and compressed in a day of UTC, as they came in.
             */
            tokens_per_day?: number | null;
        };
        /** @description Some keys. */
        KeyList: {
            /** @description The rows of this page. */
            items: components["schemas"]["ApiKey"][];
            /** @description For the next request; null at the end. */
            next_cursor?: string | null;
        };
        /** @enum {string} */
        KeyScope: "compile" | "compress" | "memory:read" | "memory:write" | "sessions:read" | "sessions:write" | "tools" | "adapters:read" | "adapters:write" | "hooks:read" | "hooks:write" | "events:read" | "packs:read" | "packs:write" | "metrics:read" | "admin" | "operator";
        /** @description A stage of the ledger. */
        LedgerLine: {
            /** @description Over the output of every stage before it and all of `input_parts`. */
            input_hash: string;
            /** @description What reaches the stage from outside, such as `request.compression` or `store.memory`. */
            input_parts: {
                [key: string]: string;
            };
            /** @description SHA-256 over what the stage gave. */
            output_hash: string;
            /**
             * @description The name of the stage.
             * @example compress
             */
            stage: string;
        };
        /**
         * @description `store_memory`, as PraisonAI has it.
         * @example {
         *       "action": "add",
         *       "type": "long_term",
         *       "content": "Prefers short answers"
         *     }
         */
        MemoryActRequest: {
            /** @description `add`, `replace` or `remove`. If absent: `"add"`. */
            action?: components["schemas"]["MemoryAction"] | null;
            /**
             * @description What is remembered. For `remove` the whole value of the entry that goes, where neither
             *     `key` nor `match` says which.
             */
            content?: string | null;
            /** @description Created if it is absent and something is added. */
            key?: string | null;
            /** @description A part of the value of the one entry that is meant. */
            match?: string | null;
            /** @description An object that is kept with the entry and not read; at most 16 KiB. */
            metadata?: components["schemas"]["JsonValue"];
            scope?: components["schemas"]["MemoryScope"] | null;
            /**
             * @description `short_term`, `long_term`, `entity` or `episodic`: the tiers `working`, `durable`,
             *     `semantic` and `episodic`. If it is absent, an added entry is `short_term`, a replaced one
             *     keeps its tier, and entries of every tier are searched.
             */
            type?: components["schemas"]["MemoryType"] | null;
        };
        /** @description What an action did. */
        MemoryActResponse: {
            /**
             * @description What was done: `add`, `replace` or `remove`.
             * @example add
             */
            action: string;
            /**
             * Format: int64
             * @description Entries that were changed: 1, or 0 where nothing was there to remove.
             */
            affected: number;
            entry?: components["schemas"]["MemoryEntry"] | null;
            /**
             * @description The entry's key.
             * @example plan
             */
            key?: string | null;
            /**
             * @description The entry's id, unique in its tenant: its path below `/memory/`.
             * @example plan?subject=ann
             */
            memory_id?: string | null;
            /**
             * @description The `type` of the entry.
             * @example long_term
             */
            target: string;
        };
        /** @enum {string} */
        MemoryAction: "add" | "replace" | "remove";
        /**
         * @description What changes of an entry: any of its members. What is absent stays as it is; null takes it away, or makes it as usual.
         * @example {
         *       "importance": 0.9
         *     }
         */
        MemoryChange: {
            /** @description Who wrote it. */
            author?: string | null;
            /** @description `public`, `internal` (when it is new), `confidential` or `restricted`. */
            classification?: components["schemas"]["Classification"] | null;
            /** @description A sentence about the value, shown to the model with it. */
            description?: string | null;
            /**
             * Format: double
             * @description More important entries are recalled first. If absent: `0.5`.
             */
            importance?: number | null;
            /** @description An object that is carried and not read; at most 16 KiB. */
            metadata?: components["schemas"]["JsonObject"] | null;
            scope?: components["schemas"]["MemoryScope"] | null;
            /** @description Where it comes from. */
            source?: string | null;
            /** @description Words to filter by. */
            tags?: string[] | null;
            /** @description `working`, `episodic`, `semantic` (when it is new) or `durable`. */
            tier?: components["schemas"]["MemoryTier"] | null;
            ttl?: components["schemas"]["MemoryTtl"] | null;
            /** @description Any JSON value, a text most of the time; at most 64 KiB. */
            value?: components["schemas"]["JsonValue"];
        };
        /** @description A memory entry has changed, or has expired. */
        MemoryChangedEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["MemoryEventData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "memory:changed";
        };
        /** @description The body of a call after a memory entry was set, deleted or expired. */
        MemoryChangedHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["MemoryChangedHookInput"];
            /**
             * @description What the hook may do.
             * @constant
             */
            kind: "observe";
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "memory_changed";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "type": "set",
         *       "key": "language",
         *       "value": "Rust",
         *       "old_value": null,
         *       "action": "add",
         *       "target": "long_term",
         *       "content": "Rust",
         *       "metadata": null,
         *       "memory_id": "language",
         *       "affected": 1,
         *       "origin": "direct",
         *       "scope": {
         *         "subject": null,
         *         "session_id": null,
         *         "agent": null
         *       }
         *     }
         */
        MemoryChangedHookInput: {
            /** @description `add`, `replace`, `remove` or `expire` */
            action?: string | null;
            /** @description entries that changed */
            affected?: number | null;
            /** @description the text that was given */
            content?: string | null;
            /** @description the entry's key */
            key?: string | null;
            /** @description the entry's id, unique in its tenant: its path below `/memory/` */
            memory_id?: string | null;
            /** @description an object, or null */
            metadata?: components["schemas"]["JsonValue"];
            /** @description what was stored, or null */
            old_value?: components["schemas"]["JsonValue"];
            /** @description `model`, `direct`, `review`, `session` or `expiry` */
            origin?: string | null;
            /** @description the entry's scope: `subject`, `session_id`, `agent`, `pack_tenant` */
            scope?: components["schemas"]["JsonObject"] | null;
            /** @description the caller's word for the kind of memory */
            target?: string | null;
            /** @description `set`, `delete` or `expire` */
            type?: string | null;
            /** @description what is stored now, or null */
            value?: string | null;
        };
        /** @enum {string} */
        MemoryClass: "evidence_link" | "preference" | "decision_outcome" | "correction";
        /** @description A model may not write a memory entry. `hook`, `point` and `code` are absent unless a hook denied it. */
        MemoryDeniedData: {
            /** @description The code that the hook gave, or null. */
            code?: string | null;
            /** @description The id of the hook. */
            hook?: string | null;
            /** @description The key of the entry. */
            key: string;
            /**
             * @description Always `model`.
             * @example model
             */
            origin: string;
            /** @description The point of the hook. */
            point?: string | null;
            /**
             * @description `hook`, `key_not_allowed`, `write_off`, `shared_entry` or `not_current`.
             * @example key_not_allowed
             */
            reason: string;
        };
        /** @description A model may not write a memory entry. `hook`, `point` and `code` are absent unless a hook denied it. */
        MemoryDeniedEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["MemoryDeniedData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "memory:denied";
        };
        /** @description A memory entry. */
        MemoryEntry: {
            /** @description Who wrote it, as the writer says. */
            author?: string | null;
            /**
             * @description Who may see it: `public`, `internal`, `confidential` or `restricted`.
             * @example internal
             */
            classification: string;
            /**
             * Format: date-time
             * @description When it was made: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            created_at: string;
            /** @description A sentence about the value. */
            description?: string | null;
            /**
             * Format: date-time
             * @description When it is removed: RFC 3339, in UTC. Null if it stays.
             * @example 2027-01-30T23:59:59Z
             */
            expires_at?: string | null;
            /**
             * Format: int64
             * @description The turn of its session from which on it is expired.
             */
            expires_at_turn?: number | null;
            /**
             * Format: double
             * @description From 0 to 1; more important entries are recalled first.
             */
            importance: number;
            /**
             * @description The key, unique in its scope.
             * @example language
             */
            key: string;
            /** @description An object that is kept with it and not read. */
            metadata?: components["schemas"]["JsonObject"] | null;
            /** @description Whose entry it is. */
            scope: components["schemas"]["MemoryScope"];
            /** @description Where it comes from. */
            source?: string | null;
            /**
             * @description `promoted`, `captured` (a model wrote it, and it is not reviewed yet), `superseded`,
             *     `retracted` or `deprecated`. Promoted entries are recalled, captured ones only without a pack.
             * @example promoted
             */
            status: string;
            /** @description Words to filter by. */
            tags: string[];
            /**
             * @description How long-lived it is: `working`, `episodic`, `semantic` or `durable`.
             * @example semantic
             */
            tier: string;
            ttl?: components["schemas"]["MemoryTtl"] | null;
            /**
             * Format: int64
             * @description Writes of the value.
             */
            update_count: number;
            /**
             * Format: date-time
             * @description When it was last changed: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            updated_at: string;
            /** @description What is remembered. */
            value: components["schemas"]["JsonValue"];
            /**
             * Format: int64
             * @description From 1, one more with each write; also the `ETag`.
             */
            version: number;
        };
        /** @description A memory entry has changed, or has expired. */
        MemoryEventData: {
            /**
             * @description `public`, `internal`, `confidential` or `restricted`.
             * @example internal
             */
            classification: string;
            /**
             * @description The key of the entry.
             * @example language
             */
            key: string;
            /**
             * @description `direct`, `model`, `review`, `session` or `expiry`.
             * @example direct
             */
            origin: string;
            /** @description Who sees the entry. */
            scope: components["schemas"]["MemoryEventScope"];
            /**
             * @description The status of the entry.
             * @example promoted
             */
            status: string;
            /**
             * @description What happened: `set`, `retract`, `supersede`, `restore`, `promote`, `delete` or `expire`.
             * @example set
             */
            type: string;
            /**
             * Format: int64
             * @description How often the entry was written.
             */
            update_count: number;
            /**
             * Format: int64
             * @description The version of the entry.
             */
            version: number;
        };
        /** @description The scope of a memory entry: null is any. */
        MemoryEventScope: {
            /** @description The agent. */
            agent?: string | null;
            /** @description The tenant of a pack; absent if the entry is shared. */
            pack_tenant?: string | null;
            /** @description The session. */
            session_id?: string | null;
            /** @description The subject, such as a user. */
            subject?: string | null;
        };
        /** @description A memory entry has changed, or has expired. */
        MemoryExpiredEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["MemoryEventData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "memory:expired";
        };
        /** @description The body of a call after an expired memory entry was deleted. */
        MemoryExpiredHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["MemoryExpiredHookInput"];
            /**
             * @description What the hook may do.
             * @constant
             */
            kind: "observe";
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "memory_expired";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "entry": {
         *         "key": "language",
         *         "value": "Rust",
         *         "tags": [],
         *         "importance": 0.5,
         *         "tier": "semantic",
         *         "classification": "internal",
         *         "status": "promoted",
         *         "version": 1,
         *         "update_count": 1,
         *         "metadata": null,
         *         "description": null,
         *         "source": null,
         *         "author": null,
         *         "ttl": null,
         *         "expires_at": null,
         *         "expires_at_turn": null,
         *         "created_at": "2026-12-31T23:59:59Z",
         *         "updated_at": "2026-12-31T23:59:59Z",
         *         "scope": {
         *           "subject": null,
         *           "session_id": null,
         *           "agent": null
         *         }
         *       }
         *     }
         */
        MemoryExpiredHookInput: {
            /** @description the whole entry */
            entry?: components["schemas"]["JsonObject"] | null;
        };
        /** @description What an import did. */
        MemoryImportResponse: {
            /**
             * Format: int64
             * @description Entries that are new.
             */
            created: number;
            /**
             * Format: int64
             * @description Entries that were changed.
             */
            updated: number;
        };
        /**
         * @description Memory to place: the options, `true` for all of their defaults, or `false` for none. With
         *     `false`, calls of Anthropic's memory tool are for the caller.
         */
        MemoryInput: boolean | components["schemas"]["MemoryOptions"];
        /** @description A page of entries. */
        MemoryList: {
            /** @description The rows of this page. */
            items: components["schemas"]["MemoryEntry"][];
            /** @description Where the list goes on; null at its end. */
            next_cursor?: string | null;
        };
        /** @description What is remembered from earlier conversations. */
        MemoryOptions: {
            /** @description The keys that the model may write; any when absent, none when empty. */
            allowed_keys?: string[] | null;
            /** @description In the place of the store's: `{"key", "value", "description"?}`; every text is escaped. */
            entries?: components["schemas"]["JsonValue"][] | null;
            /**
             * Format: int64
             * @description Tokens of data; entries that find no room are left out, with a warning. If absent: `2000`.
             */
            max_tokens?: number | null;
            placement?: components["schemas"]["StatePlacement"] | null;
            /**
             * @description What entries are looked for. When absent, the last user message; with the placement
             *     `system`, which is to stay the same, nothing in particular.
             */
            query?: string | null;
            scope?: components["schemas"]["MemoryScope"] | null;
            ttl?: components["schemas"]["MemoryTtl"] | null;
            write?: components["schemas"]["MemoryWriting"] | null;
        };
        /** @description What memory would show. */
        MemoryRecallRequest: {
            /**
             * Format: int64
             * @description Room, in tokens of `o200k_base`. If absent: `2000`.
             */
            max_tokens?: number | null;
            /** @description What is looked for; a compile asks with the last user message. */
            query?: string | null;
            scope?: components["schemas"]["MemoryScope"] | null;
            /** @description Only entries with one of these. */
            tags?: string[] | null;
        };
        /** @description What memory would show, and why. */
        MemoryRecallResponse: {
            /** @description Best first. */
            items: components["schemas"]["RecalledEntry"][];
            /**
             * Format: int64
             * @description The room in tokens.
             */
            max_tokens: number;
            /**
             * Format: int64
             * @description How often the tenant's entries were changed before.
             */
            store_revision: number;
            /**
             * Format: int64
             * @description Tokens of what is shown.
             */
            tokens: number;
        };
        /** @description What memory did. */
        MemoryReport: {
            /** @description Keys of the entries that have expired. */
            expired: string[];
            /** @description Keys of the entries shown. */
            injected: string[];
        };
        /** @description The version that is to be again. */
        MemoryRestore: {
            scope?: components["schemas"]["MemoryScope"] | null;
            /**
             * Format: int64
             * @description The number of the version.
             */
            version: number;
        };
        /** @description Whose entry it is; what is absent is shared by the whole tenant. */
        MemoryScope: {
            /** @description The agent that it is for. */
            agent?: string | null;
            /**
             * @description The tenant of a context pack, `run_context.tenant_id`. The entry is visible only to compiles
             *     of that tenant under a pack, and to requests that name it.
             */
            pack_tenant?: string | null;
            /** @description The session that it is for. */
            session_id?: string | null;
            /** @description The person or thing that it is about. */
            subject?: string | null;
        };
        /** @description The scope of the entry. */
        MemoryScopeRequest: {
            scope?: components["schemas"]["MemoryScope"] | null;
        };
        /** @enum {string} */
        MemoryTier: "durable" | "semantic" | "episodic" | "working";
        /** @description When an entry expires: `turns` of its session or `seconds`, from its last write on. */
        MemoryTtl: {
            /**
             * Format: int64
             * @description Seconds after the last write.
             */
            seconds?: number | null;
            /**
             * Format: int64
             * @description Turns of the session after the last write.
             */
            turns?: number | null;
        };
        /** @enum {string} */
        MemoryType: "short_term" | "long_term" | "entity" | "episodic";
        /** @description The body of a call before a model's own write to memory, of a key that it may write. */
        MemoryUpdateHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["MemoryUpdateHookInput"];
            /** @description What the hook may do: guard, transform. */
            kind: components["schemas"]["HookKind"];
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "memory_update";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "origin": "model",
         *       "op": "create",
         *       "key": "language",
         *       "value": "Rust",
         *       "old_value": null,
         *       "memory_id": "language",
         *       "scope": {
         *         "subject": null,
         *         "session_id": null,
         *         "agent": null
         *       }
         *     }
         */
        MemoryUpdateHookInput: {
            /** @description the entry's key */
            key?: string | null;
            /** @description the entry's id, unique in its tenant: its path below `/memory/` */
            memory_id?: string | null;
            /** @description what is stored, or null */
            old_value?: components["schemas"]["JsonValue"];
            /** @description `create`, `update` or `delete` */
            op?: string | null;
            /** @description `model` */
            origin?: string | null;
            /** @description the entry's scope: `subject`, `session_id`, `agent`, `pack_tenant` */
            scope?: components["schemas"]["JsonObject"] | null;
            /** @description what is to be stored; null for a deletion */
            value?: string | null;
        };
        /** @description An entry as it was after one of its writes. */
        MemoryVersionRow: {
            /**
             * @description `set`, `retract`, `supersede`, `restore` or `promote`.
             * @example set
             */
            action: string;
            /** @description The entry after the write. */
            entry: components["schemas"]["MemoryEntry"];
            /**
             * @description Who asked for it: `direct` (the application), `model`, `review` or `session` (a switch, a fork
             *     or a restore of the entry's session).
             * @example direct
             */
            origin: string;
        };
        /** @description A page of versions, the newest first. */
        MemoryVersions: {
            /** @description The rows of this page. */
            items: components["schemas"]["MemoryVersionRow"][];
            /** @description `cursor` of the next page; null on the last one. */
            next_cursor?: string | null;
        };
        /**
         * @description What is said of an entry. What is absent stays as it is, or is as usual if the entry is new.
         * @example {
         *       "value": "TypeScript",
         *       "description": "The project's language",
         *       "importance": 0.8,
         *       "tags": [
         *         "project"
         *       ],
         *       "ttl": {
         *         "seconds": 2592000
         *       }
         *     }
         */
        MemoryWrite: {
            /** @description Who wrote it. */
            author?: string | null;
            /** @description `public`, `internal` (when it is new), `confidential` or `restricted`. */
            classification?: components["schemas"]["Classification"] | null;
            /** @description A sentence about the value, shown to the model with it. */
            description?: string | null;
            /**
             * Format: double
             * @description More important entries are recalled first. If absent: `0.5`.
             */
            importance?: number | null;
            /** @description An object that is carried and not read; at most 16 KiB. */
            metadata?: components["schemas"]["JsonObject"] | null;
            scope?: components["schemas"]["MemoryScope"] | null;
            /** @description Where it comes from. */
            source?: string | null;
            /** @description Words to filter by. */
            tags?: string[] | null;
            /** @description `working`, `episodic`, `semantic` (when it is new) or `durable`. */
            tier?: components["schemas"]["MemoryTier"] | null;
            ttl?: components["schemas"]["MemoryTtl"] | null;
            /** @description Any JSON value, a text most of the time; at most 64 KiB. */
            value: components["schemas"]["JsonValue"];
        };
        /** @description Entries that the model may write: `true`, `false` or `"shared"`. */
        MemoryWriting: boolean | components["schemas"]["SharedMemoryWriting"];
        /**
         * @description What happened to one message.
         * @enum {string}
         */
        MessageAction: "kept" | "compressed" | "deduplicated" | "cleared" | "summarized" | "dropped" | "removed" | "changed" | "added";
        /** @description What happened to one message, and by which rule. */
        MessageDecision: {
            /** @description What happened to the message. */
            action: components["schemas"]["MessageAction"];
            /** @description The original, where it is kept or was handed over. */
            artifact?: string | null;
            /**
             * @description `exact`: decoding what is shown gives the original bytes; `equivalent`: equal to the
             *     original after a documented normalisation.
             */
            class?: string | null;
            /** @description The client's id, or one from content and position. */
            id: string;
            /** @description Index in the request's list. */
            index: number;
            /** @description The rule that decided, such as `on_arrival`, `lossless:table` or `ladder:summary`. */
            rule: string;
            /**
             * Format: int64
             * @description Tokens of the message in the payload.
             */
            tokens_after: number;
            /**
             * Format: int64
             * @description Tokens of the message as it came.
             */
            tokens_before: number;
            /**
             * @description How lossless edits show the values of the original: `plain`, each as it was written;
             *     `computed`, some derived from others; null without such edits.
             */
            values?: string | null;
        };
        /** @description Something that could not be restored. */
        MissingOriginal: {
            /** @description The artifact or answer that is not there. */
            id?: string | null;
            /** @description The message's place in the list that was sent. */
            index?: number | null;
        };
        /** @description The table of models. */
        ModelList: {
            /** @description The rows of this page. */
            items: components["schemas"]["ModelRow"][];
            /** @description Always null: the table comes whole. */
            next_cursor?: string | null;
        };
        /** @description Prices of a whole request with more input than a limit, in dollars for a million tokens. */
        ModelPriceStep: {
            /**
             * Format: int64
             * @description Tokens of the largest input that the ordinary prices charge.
             * @example 272000
             */
            above_tokens: number;
            /**
             * Format: double
             * @description Input that is read from the cache.
             */
            cache_read?: number | null;
            /**
             * Format: double
             * @description Input that is written to the cache, for the shortest lifetime that the provider has.
             */
            cache_write?: number | null;
            /**
             * Format: double
             * @description Input that is written to the cache for an hour or longer.
             */
            cache_write_long?: number | null;
            /**
             * Format: double
             * @description Input.
             */
            input: number;
            /**
             * Format: double
             * @description Output.
             */
            output: number;
        };
        /** @description Prices of the catalogue of models, in dollars for a million tokens. */
        ModelPrices: {
            /**
             * Format: double
             * @description Input that is read from the cache.
             * @example 0.3
             */
            cache_read?: number | null;
            /**
             * Format: double
             * @description Input that is written to the cache, for the shortest lifetime that the provider has.
             * @example 3.75
             */
            cache_write?: number | null;
            /**
             * Format: double
             * @description Input that is written to the cache for an hour or longer.
             * @example 6
             */
            cache_write_long?: number | null;
            /**
             * Format: double
             * @description Input.
             * @example 3
             */
            input: number;
            /**
             * Format: double
             * @description Output.
             * @example 15
             */
            output: number;
            step?: components["schemas"]["ModelPriceStep"] | null;
        };
        /** @description One row of the catalogue. */
        ModelRow: {
            /**
             * Format: int32
             * @description Content blocks before a mark in which the provider looks for a cached prefix; with
             *     `breakpoints`, the newest marks among which it does.
             * @example 20
             */
            cache_lookback_blocks?: number | null;
            /**
             * @description How a payload marks the ends of cached prefixes: `blocks` (`cache_control`), `breakpoints`
             *     (`prompt_cache_breakpoint`); absent if the provider finds them by itself.
             * @example blocks
             */
            cache_marks?: string | null;
            /**
             * @description The day on which that was read.
             * @example 2026-11-27
             */
            checked?: string | null;
            /**
             * Format: int64
             * @description Tokens of the window, the answer included.
             * @example 128000
             */
            context_window: number;
            /**
             * Format: double
             * @description What a count is multiplied by; 1 if the tokenizer is the model's own. The family's when
             *     absent.
             * @example 1
             */
            factor?: number | null;
            /**
             * @description `openai`, `anthropic`, `gemini` or `other`.
             * @example openai
             */
            family?: string;
            /** @description Whether the provider keeps thinking of earlier turns in the context. */
            keeps_thinking?: boolean;
            /**
             * Format: int64
             * @description Tokens of the largest input, if the provider takes less than the window.
             */
            max_input?: number | null;
            /**
             * Format: int64
             * @description Tokens of the largest answer.
             * @example 16384
             */
            max_output: number;
            /**
             * Format: int64
             * @description Tokens of the shortest prefix that the provider caches.
             * @example 1024
             */
            min_cached_tokens?: number | null;
            /**
             * @description What `model` in a request names; dated variants (`name-2025-01-01`) find it too.
             * @example gpt-4o
             */
            name: string;
            /** @description The page of the provider that corrections are from. */
            page?: string | null;
            /** @description Whether the model goes on from a last assistant message. */
            prefill?: boolean;
            /** @description Whether a signed thinking block is valid only while all content before it is unchanged. */
            preserved_thinking?: boolean;
            prices?: components["schemas"]["ModelPrices"] | null;
            /**
             * @description The day on which the provider ends the model.
             * @example 2026-10-23
             */
            retired?: string | null;
            /** @description The dataset that the row is from. */
            source?: string | null;
            /** @description Whether an Anthropic model takes system messages between the others. */
            system_messages?: boolean;
            /**
             * @description `o200k_base`, `cl100k_base` or `bytes4`.
             * @example o200k_base
             */
            tokenizer?: string;
            /** @description Whether it takes changes of tools in these messages. */
            tool_changes?: boolean;
        };
        /** @description A payload in the neutral shape. */
        NeutralPayload: {
            /** @description The messages. */
            messages: components["schemas"]["ConversationMessage"][];
            /** @description The tools; absent if there are none. */
            tools?: components["schemas"]["JsonObject"][] | null;
        };
        /** @description A hook with the secret that its calls are signed with; this answer alone holds it. */
        NewHook: components["schemas"]["HookRow"] & {
            /**
             * @description Absent for a built-in hook.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret?: string | null;
        };
        /** @description A key that was just made. */
        NewKey: components["schemas"]["ApiKey"] & {
            /**
             * @description The text to send as `authorization: Bearer …`. Shown this once; absent where the same
             *     request came before.
             * @example cx_live_f3Zk09mQv7LcX2aT_<43 secret characters><6 of a check>
             */
            key?: string | null;
        };
        /** @description Tokens after lossless edits alone, by how they may show values. */
        NotationTokens: {
            /**
             * Format: int64
             * @description Some values computed from others.
             */
            computed: number;
            /**
             * Format: int64
             * @description Each value as it was written.
             */
            plain: number;
        };
        /**
         * @description A text to put aside.
         * @example {
         *       "text": "the 9,000 lines of a log",
         *       "tail_chars": 1000
         *     }
         */
        OffloadRequest: {
            /**
             * Format: int64
             * @description UTF-16 units of the beginning that stay in sight, to the last whole line. If absent: `0`.
             */
            head_chars?: number | null;
            /**
             * Format: int64
             * @description UTF-16 units of the end that stay in sight, from the first whole line. If absent: `2000`.
             */
            tail_chars?: number | null;
            /** @description The text. */
            text: string;
            /**
             * Format: int64
             * @description UTF-16 units up to which a text stays as it is. If absent: `5000`.
             */
            threshold?: number | null;
        };
        /** @description The outcome for the text. `id` and the members after it are there only if it is stored. */
        OffloadResponse: {
            /**
             * Format: int64
             * @description Bytes of the text in UTF-8.
             */
            bytes?: number | null;
            /**
             * Format: date-time
             * @description When it is removed: RFC 3339, in UTC. Null if it stays.
             * @example 2026-12-31T23:59:59Z
             */
            expires_at?: string | null;
            /**
             * @description The id of the artifact.
             * @example 574a963fe4c28cab63d90746
             */
            id?: string | null;
            /**
             * Format: int64
             * @description Lines of the text.
             */
            lines?: number | null;
            /** @description Whether the text was stored, and `text` is a marker. */
            offloaded: boolean;
            /** @description What to send to the model: the text itself, or the marker that replaces it. */
            text: string;
        };
        /** @enum {string} */
        OnArrival: "off" | "lossless" | "reversible";
        /** @enum {string} */
        OnDeadline: "fail" | "pass";
        /** @enum {string} */
        OnFailure: "deny" | "fail" | "skip";
        /** @enum {string} */
        OnOverflow: "report" | "fail";
        /** @description A payload for Chat Completions. */
        OpenAiPayload: {
            /** @description The messages. */
            messages: components["schemas"]["JsonObject"][];
            /** @description The key of the prompt cache. */
            prompt_cache_key?: string | null;
            /** @description The tools; absent if there are none. */
            tools?: components["schemas"]["JsonObject"][] | null;
        };
        /** @description A payload for the Responses API. */
        OpenAiResponsesPayload: {
            /** @description The items. */
            input: components["schemas"]["JsonObject"][];
            /** @description System text. */
            instructions?: string | null;
            /** @description The key of the prompt cache. */
            prompt_cache_key?: string | null;
            /** @description The tools; absent if there are none. */
            tools?: components["schemas"]["JsonObject"][] | null;
        };
        /** @description The original of something that is not shown in full. */
        OriginalText: {
            /** @description Bytes of the text in UTF-8. */
            bytes: number;
            /**
             * Format: date-time
             * @description Until when it is kept; absent where it is not kept here.
             */
            expires_at?: string | null;
            /**
             * @description The first 24 hex digits of the text's SHA-256.
             * @example 9f2c41d07be8a3556c1d90aa
             */
            id: string;
            /** @description The message it belongs to: its own id, or its index in the list. */
            message_id: string;
            /**
             * Format: int64
             * @description Tokens of the text.
             */
            tokens: number;
        };
        /** @enum {string} */
        OriginalsPolicy: "store" | "return" | "none";
        /** @description Whether a compile made a payload, then and now. */
        OutcomeChange: {
            /** @description `compiled` or `refused`. */
            from: string;
            /** @description `compiled` or `refused`. */
            to: string;
        };
        /** @description What is asked of the model's answer. */
        OutputOptions: {
            /** @description The beginning of the answer, put into the model's mouth. */
            prefill?: string | null;
            /** @description The answer is asked for inside this XML tag. */
            tag?: string | null;
        };
        /** @description A part that may not be touched and is too big. */
        OversizedPart: {
            /** @description The part, as in `parts`; `message` is one message of the history. */
            part: string;
            /** @description JSON Pointer into the request, for a message. */
            pointer?: string | null;
            /**
             * Format: int64
             * @description Tokens of the part.
             */
            tokens: number;
        };
        /** @description A pack with its document. */
        Pack: components["schemas"]["PackRow"] & {
            /** @description As it was published. */
            document: components["schemas"]["PackDocument"];
        };
        /** @description One change. */
        PackChange: {
            /** @description The value before; absent if there was none. */
            from?: components["schemas"]["JsonValue"];
            /** @description `add`, `remove` or `replace`. */
            op: string;
            /** @description JSON Pointer: what is added is in the newer document, all else in the older one. */
            path: string;
            /** @description The value after; absent if there is none. */
            value?: components["schemas"]["JsonValue"];
        };
        /** @description What two versions differ in. */
        PackDiff: {
            /** @description Whether the versions are the same. */
            equal: boolean;
            /** @description The first version, `id@version`. */
            from: components["schemas"]["PackRow"];
            /** @description The layers that differ. */
            layers: components["schemas"]["PackLayerDiff"][];
            /** @description The second version, `id@version`. */
            to: components["schemas"]["PackRow"];
        };
        /** @description Two published versions, of one pack or of two. */
        PackDiffRequest: {
            /**
             * @description A version, `id@version`, or a document.
             * @example pack.dbops@1.4.0
             */
            from: string;
            /**
             * @description Another version, or a document.
             * @example pack.dbops@1.5.0
             */
            to: string;
        };
        /**
         * @description A context pack: the six layers that allow or withhold something, and those that may be absent.
         *     The members of each layer, and the defaults, are in `docs/packs.md`; unknown members are refused.
         */
        PackDocument: {
            /** @description Tokens for each part. */
            budget_layer?: components["schemas"]["JsonObject"] | null;
            /** @description Facts of the business that the model may see. */
            business_context?: components["schemas"]["JsonObject"] | null;
            /** @description The version of the format. */
            contract_meta?: components["schemas"]["JsonObject"] | null;
            /** @description Options and when to use them. */
            decision_layer: components["schemas"]["JsonObject"];
            /** @description What evaluations check. */
            evaluation_layer?: components["schemas"]["JsonObject"] | null;
            /** @description References to evidence. */
            intelligence_refs?: components["schemas"]["JsonObject"] | null;
            /** @description The catalogue of intents. */
            intent_layer: components["schemas"]["JsonObject"];
            /** @description What memory may be shown and written. */
            memory_layer: components["schemas"]["JsonObject"];
            /** @description Id, version, owner. */
            pack_meta: components["schemas"]["JsonObject"];
            /** @description Rules, and what they allow or withhold. */
            policy_layer: components["schemas"]["JsonObject"];
            /** @description `{"alg": "ed25519", "key_id", "sig"}`, over the canonical JSON (RFC 8785) of the rest. */
            signature?: components["schemas"]["JsonObject"] | null;
            /** @description How the model shall write. */
            tone_and_comms?: components["schemas"]["JsonObject"] | null;
            /** @description The tools, and who may use them. */
            tooling_layer: components["schemas"]["JsonObject"];
        };
        /** @description What one layer differs in. */
        PackLayerDiff: {
            /** @description The changes in the layer. */
            changes: components["schemas"]["PackChange"][];
            /**
             * @description The name of the layer.
             * @example policy_layer
             */
            layer: string;
        };
        /** @description One thing that is wrong with a pack. */
        PackLintFault: {
            /**
             * @description A word that stays the same.
             * @example policy_operator_unknown
             */
            code: string;
            /** @description What is wrong, with the value, and what is allowed. */
            detail: string;
            /** @description The nearest known name to an unknown one. */
            did_you_mean?: string | null;
            /** @description JSON Pointer into the document. */
            pointer: string;
            /**
             * @description `error` prevents publishing, `warning` does not.
             * @example error
             */
            severity: string;
            /**
             * @description The sum of the weights of a split.
             * @example 0.99
             */
            sum?: string | null;
        };
        /** @description What is wrong with a pack. */
        PackLintResponse: {
            /** @description What is wrong with the pack; empty if nothing is. */
            faults: components["schemas"]["PackLintFault"][];
            /** @description Whether it may be published. */
            ok: boolean;
        };
        /** @description Some of the packs. */
        PackList: {
            /** @description The rows of this page. */
            items: components["schemas"]["PackRow"][];
            /** @description Where the list goes on; null at its end. */
            next_cursor?: string | null;
        };
        /** @description A pack that is published. */
        PackPublished: components["schemas"]["PackRow"] & {
            /** @description Faults that do not prevent publishing. */
            warnings: components["schemas"]["PackLintFault"][];
        };
        /** @description A pack as it was published. */
        PackRow: {
            /**
             * Format: date-time
             * @description When it was made: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            created_at: string;
            /**
             * @description SHA-256 of its canonical JSON, the signature left out.
             * @example sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a
             */
            digest: string;
            /**
             * @description The id of the pack.
             * @example pack.dbops
             */
            id: string;
            /**
             * @description The version, `id@version`.
             * @example pack.dbops@1.4.0
             */
            pack_ref: string;
            /** @description Whether the document is signed. */
            signed: boolean;
            /**
             * @description The version.
             * @example 1.4.0
             */
            version: string;
        };
        /** @description The versions of a pack, the newest first. */
        PackVersions: {
            /**
             * @description The id of the pack.
             * @example pack.dbops
             */
            id: string;
            /** @description Its versions, the newest first. */
            versions: components["schemas"]["PackRow"][];
        };
        /** @description Tokens by part of the payload. All but `reserve` add up to `tokens_after`. */
        PartTokens: {
            /**
             * Format: int64
             * @description Messages of the history.
             */
            history: number;
            /**
             * Format: int64
             * @description Images, sounds, documents; an estimate.
             */
            media: number;
            /**
             * Format: int64
             * @description Memory data.
             */
            memory: number;
            /**
             * Format: int64
             * @description Kept for the model's answer; not part of the payload.
             */
            reserve: number;
            /**
             * Format: int64
             * @description Instructions of the skill.
             */
            skill: number;
            /**
             * Format: int64
             * @description System text.
             */
            system: number;
            /**
             * Format: int64
             * @description State, context, output block, prefill, and what precedes the reply.
             */
            tail: number;
            /**
             * Format: int64
             * @description Definitions of tools.
             */
            tools: number;
        };
        /** @enum {string} */
        PriceStepRule: "ignore" | "stay";
        /** @description How the payload stands to the size above which the model charges other prices. */
        PriceStepUse: {
            /**
             * Format: int64
             * @description Tokens of the largest input that the ordinary prices charge.
             * @example 272000
             */
            above_tokens: number;
            /** @description Whether the history got less room because of it: the budget is larger. */
            lowered_room: boolean;
            /** @description Whether the payload is below it, by the count of this service. */
            stayed: boolean;
        };
        /** @description The body of every 4xx and 5xx answer (RFC 9457). */
        Problem: {
            /**
             * @description The type as a word for programs.
             * @example invalid_request
             */
            code: string;
            /**
             * @description The record of a governed compile that was refused.
             * @example cmp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b
             */
            compilation_id?: string | null;
            /**
             * @description What went wrong this time.
             * @example the request is not valid in one place
             */
            detail?: string;
            /** @description What else programs may want to know, by type of problem. */
            details?: components["schemas"]["JsonValue"];
            /** @description Every faulty place at once; absent where no place is to blame. */
            errors?: components["schemas"]["FieldError"][];
            /**
             * @description Is in the `x-request-id` header and in the server's logs, too.
             * @example req_5f0c2b7e9d1a4c38
             */
            request_id: string;
            /** @description The stage of a governed compile that refused. */
            stage?: string | null;
            /**
             * Format: int32
             * @description The status of the response.
             * @example 422
             */
            status: number;
            /**
             * @description The same for every problem of this type.
             * @example The request is not valid
             */
            title: string;
            /**
             * @description `/problems/` and the code with hyphens; the server answers a page that explains it.
             * @example /problems/invalid-request
             */
            type: string;
        };
        /** @description What stays word for word. */
        ProtectOptions: {
            /** @description Ids or indices of messages. */
            messages?: components["schemas"]["JsonValue"][] | null;
            /** @description Texts that match stay: `{"regex", "label"}`. */
            patterns?: components["schemas"]["JsonObject"][] | null;
            /**
             * Format: int64
             * @description The newest messages, by number.
             */
            recent_messages?: number | null;
            /**
             * Format: int64
             * @description The newest turns, by number.
             */
            recent_turns?: number | null;
            /** @description Messages of these roles. */
            roles?: string[] | null;
            /** @description Tools whose results stay. */
            tools?: string[] | null;
        };
        /**
         * @description What a provider returns; `null` adds nothing. The members that count depend on the point
         *     (`GET /hook-points`).
         * @example {
         *       "content": "The build runs on Debian 12."
         *     }
         */
        ProvideAnswer: {
            /** @description At `before_compile` under a pack: the bucket of the text. */
            bucket?: string | null;
            /** @description A text to add; at `summarize` the summary. */
            content?: string | null;
            /** @description At `recall_memory`: entries to show. */
            entries?: components["schemas"]["JsonValue"][] | null;
            /** @description At `retrieve_evidence`: evidence to admit. */
            evidence?: components["schemas"]["JsonValue"][] | null;
            /** @description Several texts to add. */
            fragments?: components["schemas"]["JsonValue"][] | null;
            /** @description At `before_compress`: `summary_input` for the summariser or `verbatim` for the payload. */
            include?: string | null;
            /** @description At `recall_memory`: keys of entries to show. */
            keys?: string[] | null;
            /** @description At `compress_format`: the shorter text. */
            text?: string | null;
        };
        /** @description What a payload needs of its request. */
        ProviderRequirements: {
            /** @description Headers by their name, several values joined by commas. */
            headers: {
                [key: string]: string;
            };
            /** @description Members of the request that belong next to those of the payload. */
            parameters: {
                [key: string]: unknown;
            };
        };
        /** @description The use of a quota. */
        QuotaRow: {
            /**
             * Format: int64
             * @description The quota.
             */
            max: number;
            /**
             * @description `sessions`, `turn_bytes`, `memory_entries`, `candidates`, `skills`, `compilation_bytes` or
             *     `reply_bytes`.
             * @example sessions
             */
            quota: string;
            /**
             * Format: int64
             * @description What is stored.
             */
            used: number;
        };
        /** @description What one tool has answered. */
        RawToolResult: {
            /** @description What the tool was run with, for hooks at `tool_result`. */
            arguments?: components["schemas"]["JsonValue"];
            /**
             * @description The `caller` of the call, as the provider wrote it. If it is a program (`code_execution_…`,
             *     `program`), the result keeps its bytes: the program reads it, and no model.
             */
            caller?: components["schemas"]["JsonValue"];
            /** @description A text; anything else is shown as its JSON. */
            content: components["schemas"]["JsonValue"];
            /** @description The call that it answers. */
            id: string;
            /** @description Whether the tool failed. */
            is_error?: boolean | null;
            /** @description The name of the tool. */
            name?: string | null;
        };
        /** @description The body of a call chooses among stored memory entries, or adds others. */
        RecallMemoryHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["RecallMemoryHookInput"];
            /**
             * @description What the hook may do.
             * @constant
             */
            kind: "provide";
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "recall_memory";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "query": "language",
         *       "candidates": [
         *         {
         *           "key": "language",
         *           "value": "Rust",
         *           "tags": [],
         *           "importance": 0.5,
         *           "tier": "semantic",
         *           "classification": "internal",
         *           "status": "promoted",
         *           "version": 1,
         *           "update_count": 1,
         *           "metadata": null,
         *           "description": null,
         *           "source": null,
         *           "author": null,
         *           "ttl": null,
         *           "expires_at": null,
         *           "expires_at_turn": null,
         *           "created_at": "2026-12-31T23:59:59Z",
         *           "updated_at": "2026-12-31T23:59:59Z",
         *           "scope": {
         *             "subject": null,
         *             "session_id": null,
         *             "agent": null
         *           }
         *         }
         *       ],
         *       "max_tokens": 2000
         *     }
         */
        RecallMemoryHookInput: {
            /** @description entries of the store */
            candidates?: components["schemas"]["JsonValue"][] | null;
            /** @description the most that they may take */
            max_tokens?: number | null;
            /** @description what the caller looks for, or null */
            query?: string | null;
        };
        /** @description An entry and the reasons for its place. */
        RecalledEntry: {
            /** @description The entry. */
            entry: components["schemas"]["MemoryEntry"];
            /**
             * Format: double
             * @description The importance of the entry.
             */
            importance: number;
            /**
             * Format: double
             * @description Halves with every 30 days that it is older than the newest entry.
             */
            recency: number;
            /**
             * Format: double
             * @description How well its words match the query, compared with the entry that matches it best.
             */
            relevance: number;
            /**
             * Format: double
             * @description 0.6 × relevance + 0.25 × importance + 0.15 × recency.
             */
            score: number;
            /** @description Whether it finds room. */
            shown: boolean;
        };
        /** @enum {string} */
        RecordLevel: "none" | "hashes" | "full";
        /** @description The newest attempt of a queued call that a record in full lists. */
        RecordedDelivery: {
            /** @description When it was made. */
            at: string;
            /**
             * Format: int32
             * @description From 1.
             */
            attempt: number;
            /**
             * @description The id of the call, as in `GET /hooks/{id}/deliveries`.
             * @example msg_01993f6b2c0a7d3e8f1a2b3c4d5e6f70
             */
            id: string;
            /**
             * @description The text of a response with a status of 200 to 299, its first 4 KiB; null if it did not arrive, is no text,
             *     or repeats a secret of the hook.
             */
            response?: string | null;
            /**
             * Format: int32
             * @description The status of the response; null if there was none.
             */
            status?: number | null;
        };
        /** @description What to put into the instructions. */
        RenderSkill: {
            /** @description Whether arguments that no place asks for are appended; true when absent. */
            append_args_if_no_placeholder?: boolean | null;
            /** @description One text, whose words are the arguments; text in quotes is one word. */
            args?: string | null;
            /** @description What the words are called; the list `arguments` of the skill's metadata when absent. */
            argument_names?: string[] | null;
            /** @description Whether a line with the skill's folder stands first. */
            include_base_dir?: boolean | null;
            /** @description The value of `${NAME}`. */
            vars?: components["schemas"]["JsonObject"] | null;
        };
        /** @description A skill with everything put in. */
        RenderedSkill: {
            /** @description The instructions with arguments and variables filled in. */
            instructions: string;
            /** @description The name of the skill. */
            name: string;
        };
        /** @enum {string} */
        RepairMode: "strict" | "lenient";
        /** @enum {string} */
        ReplayMode: "strict" | "verify" | "refresh";
        /** @description How a compile is run again. */
        ReplayRequest: {
            /**
             * @description `strict`: everything from the record. `verify`: the recorded request with what is stored
             *     today; hooks are asked once more, and what they say is compared and not used. `refresh`: the
             *     same, but hooks whose question has changed are asked and their answers used; the outcome of
             *     it is a new record. If absent: `"strict"`.
             */
            mode?: components["schemas"]["ReplayMode"] | null;
            /**
             * @description The request, sent again: for a record that holds hashes alone. Memory, adapters and models
             *     are those of today.
             */
            request?: components["schemas"]["JsonObject"] | null;
        };
        /** @description The result of a compile that was run again. */
        ReplayResponse: {
            /** @description With `refresh`, the id of the new record. */
            compilation_id?: string | null;
            /** @description Between the recorded payload, where it is kept, and this one; at most 200 steps. */
            diff: components["schemas"]["DiffStep"][];
            /** @description The earliest stage that gave something else. */
            first_divergent_stage?: string | null;
            /** @description With `verify`, what hooks return now and what they returned then. */
            hooks?: components["schemas"]["HookCheckRow"][] | null;
            /** @description The id of the record that was run again. */
            id: string;
            outcome_change?: components["schemas"]["OutcomeChange"] | null;
            /** @description Null where the pack refuses. */
            payload?: components["schemas"]["JsonObject"] | null;
            refusal?: components["schemas"]["CompileRefusal"] | null;
            /** @description The stages that parted by themselves, not because one before them did. */
            root_stages: string[];
            /** @description Every stage. */
            stages: components["schemas"]["StageRow"][];
            /** @description `equal` or `diverged`. */
            status: string;
        };
        /** @description What happened, in a sentence and in figures. */
        Report: {
            /** @description Messages by what happened to them. */
            actions: components["schemas"]["ActionCounts"];
            /**
             * Format: int64
             * @description Window less reserve.
             */
            budget: number;
            /** @description What the provider's cache can use. */
            cache: components["schemas"]["CacheReport"];
            cost?: components["schemas"]["CompileCost"] | null;
            /** @description One for each message, with `explain: "full"`. */
            decisions?: components["schemas"]["MessageDecision"][] | null;
            /** @description What the target could not hold, and what it became. */
            degraded: components["schemas"]["ReportNote"][];
            /** @description Whether the provider counts the same; otherwise the count is an estimate. */
            exact: boolean;
            /** @description Whether the payload is within the budget. */
            fits: boolean;
            history_summary?: components["schemas"]["HistorySummary"] | null;
            /** @description Hooks that ran. */
            hooks: components["schemas"]["HookReport"][];
            /** @description What memory did. */
            memory: components["schemas"]["MemoryReport"];
            notations?: components["schemas"]["NotationTokens"] | null;
            /** @description Tokens by part. */
            parts: components["schemas"]["PartTokens"];
            price_step?: components["schemas"]["PriceStepUse"] | null;
            put_off?: components["schemas"]["CompactionPutOff"] | null;
            /** @description What was mended in the conversation. */
            repairs: components["schemas"]["ReportNote"][];
            reported_cost?: components["schemas"]["CompileCost"] | null;
            requires?: components["schemas"]["ProviderRequirements"] | null;
            /** @description Tools of ours among the tools. */
            service_tools: string[];
            /** @description The skill whose instructions are in the payload. */
            skill?: string | null;
            /**
             * @description The whole of it in a sentence.
             * @example 58,120 → 21,944 tokens. 41 messages word for word, 12 messages shortened, 3 old messages summarized, nothing dropped.
             */
            summary: string;
            /** @description The tokenizer that counted. */
            tokenizer: string;
            /**
             * Format: int64
             * @description Tokens of the payload. Never more than `budget` where `fits` is true.
             */
            tokens_after: number;
            /**
             * Format: int64
             * @description Tokens of the conversation before anything was shortened: system text, messages and tools,
             *     mended and in what the target can hold.
             */
            tokens_before: number;
            /** @description What is too big, where the payload does not fit; never empty then. */
            too_big: components["schemas"]["OversizedPart"][];
            tools?: components["schemas"]["ToolsReport"] | null;
            /**
             * Format: int64
             * @description Tokens that this compile left out and no earlier compile of the session did.
             */
            unique_saved_tokens: number;
            /** @description What the caller should know of. */
            warnings: components["schemas"]["ReportNote"][];
        };
        /** @description One thing that the caller should know of. */
        ReportNote: {
            /** @description A stable word for programs, such as `prefill_as_text`. */
            code: string;
            /** @description What happened, for people. */
            detail?: string;
            /** @description JSON Pointer into the request. */
            pointer: string;
        };
        /**
         * @description What a session is restored from: one of both.
         * @example {
         *       "snapshot_id": "snap_0198c4f2"
         *     }
         */
        RestoreSession: {
            snapshot?: components["schemas"]["Snapshot"] | null;
            /** @description The id of a stored snapshot. */
            snapshot_id?: string | null;
        };
        /** @enum {string} */
        ResultLevel: "off" | "lossless" | "reversible";
        /** @description The body of a call finds the evidence that a pack asks for. */
        RetrieveEvidenceHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["RetrieveEvidenceHookInput"];
            /**
             * @description What the hook may do.
             * @constant
             */
            kind: "provide";
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "retrieve_evidence";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "intent_id": "answer",
         *       "query": "the build"
         *     }
         */
        RetrieveEvidenceHookInput: {
            /** @description the pack's intent */
            intent_id?: string | null;
            /** @description what the caller looks for */
            query?: string | null;
        };
        /** @description What is to be retrieved. */
        RetrieveRequest: {
            /**
             * @description The hash from a marker.
             * @example 9f2c41d07be8a3556c1d90aa
             */
            hash: string;
            /** @description Only the lines that are about this. */
            query?: string | null;
        };
        /** @description An original that a model asks for. */
        RetrievedOriginal: {
            /**
             * @description The hash from a marker.
             * @example 9f2c41d07be8a3556c1d90aa
             */
            hash: string;
            /** @description The original, or the lines of it that the query is about. */
            original_content: string;
            /** @description Items of a JSON array, lines of any other text. */
            original_item_count: number;
            /**
             * Format: int64
             * @description Tokens of the whole original.
             */
            original_tokens: number;
            /** @description The query of the request. */
            query?: string | null;
        };
        /** @enum {string} */
        ReviewVerdict: "approve" | "reject" | "request_changes";
        /** @description How long the old secret goes on signing. */
        RotateSecret: {
            /**
             * Format: int64
             * @description Seconds for which the old secret also signs. If absent: `86400`.
             */
            overlap_seconds?: number | null;
            /** @description `whsec_` and the base64 of 24 to 64 bytes; a new one is made when absent. */
            secret?: string | null;
        };
        /**
         * @description A rule and the facts it is asked on.
         * @example {
         *       "rule": {
         *         ">": [
         *           {
         *             "var": "request.context.amount"
         *           },
         *           500
         *         ]
         *       },
         *       "data": {
         *         "request": {
         *           "context": {}
         *         }
         *       }
         *     }
         */
        RuleRequest: {
            /** @description What the rule is evaluated on. */
            data?: components["schemas"]["JsonValue"];
            /** @description `JsonLogic`: the operators of json-logic-js. */
            rule: components["schemas"]["JsonValue"];
        };
        /** @description The value of a rule. */
        RuleValue: {
            /** @description Whether a condition of this value is met. */
            holds: boolean;
            indeterminate?: components["schemas"]["RuleWarning"] | null;
            /** @description `undefined`, `NaN`, `Infinity` or `-Infinity`, where the value is that. */
            special?: string | null;
            /** @description Null where JSON has no such value. */
            value: components["schemas"]["JsonValue"];
        };
        /** @description Why a rule's value says little. */
        RuleWarning: {
            /**
             * @description The path that was read there.
             * @example request.context.amount
             */
            path?: string | null;
            /**
             * @description `missing`, `not_a_number`, `not_finite`, `error`, `depth` or `budget`.
             * @example missing
             */
            reason: string;
        };
        /** @description A session. */
        Session: {
            /** @description What the provider's counts have shown. */
            calibration: components["schemas"]["TokenCalibration"][];
            /** @description Lengths of the message list at which the history was shrunk because the cache was cold. */
            compaction_points: number[];
            /**
             * Format: date-time
             * @description When it was made: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            created_at: string;
            /** @description Members of compiles that are used if a request has none; null if there are none. */
            defaults?: components["schemas"]["JsonObject"] | null;
            /**
             * Format: date-time
             * @description When it is removed: RFC 3339, in UTC. Null if it stays.
             * @example 2027-01-30T23:59:59Z
             */
            expires_at: string;
            /**
             * @description The id of the session.
             * @example chat-17
             */
            id: string;
            /** @description Its last compile. */
            last_compilation_id?: string | null;
            last_cost?: components["schemas"]["CompileCost"] | null;
            /**
             * Format: int64
             * @description How many messages it holds: those that came by `/sessions/{id}/turns`.
             */
            messages: number;
            /** @description The session that it goes on from. */
            parent_session_id?: string | null;
            ttl?: components["schemas"]["SessionTtl"] | null;
            /**
             * Format: int64
             * @description Compiles that it has had.
             */
            turns: number;
            /**
             * Format: date-time
             * @description When it was last changed: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was last used: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            used_at: string;
            /**
             * Format: int64
             * @description From 1, one more with each change that was asked for; also the `ETag`. Compiles leave it.
             */
            version: number;
        };
        /** @description Some sessions. */
        SessionList: {
            /** @description The rows of this page. */
            items: components["schemas"]["Session"][];
            /** @description For the next request; null at the end. */
            next_cursor?: string | null;
        };
        /** @description The body of a call when a conversation goes on in another session. */
        SessionSwitchHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["SessionSwitchHookInput"];
            /**
             * @description What the hook may do.
             * @constant
             */
            kind: "observe";
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "session_switch";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "new_session_id": "s_2",
         *       "parent_session_id": "s_1",
         *       "reset": false,
         *       "reason": "fork"
         *     }
         */
        SessionSwitchHookInput: {
            /** @description where it goes on */
            new_session_id?: string | null;
            /** @description where it comes from; empty for a first session */
            parent_session_id?: string | null;
            /** @description `new`, `fork`, `reset`, `rotation` or `resume` */
            reason?: string | null;
            /** @description whether it starts empty */
            reset?: boolean | null;
        };
        /** @description A session was opened, forked or switched. */
        SessionSwitchedData: {
            /** @description The session that is used from now on. */
            new_session_id: string;
            /** @description The session before it; empty if there was none. */
            parent_session_id: string;
            /**
             * @description `new`, `fork`, `reset`, `rotation` or `resume`.
             * @example new
             */
            reason: string;
            /** @description Whether the session begins without the state of its parent. */
            reset: boolean;
        };
        /** @description A session was opened, forked or switched. */
        SessionSwitchedEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["SessionSwitchedData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "session:switched";
        };
        /** @description How long a session is kept after its last use. */
        SessionTtl: {
            /**
             * Format: int64
             * @description Seconds after the last use.
             * @example 604800
             */
            seconds: number;
        };
        /**
         * @description What happened since, and any key of `/compile` but the conversation's.
         * @example {
         *       "append": [
         *         {
         *           "role": "assistant",
         *           "content": null,
         *           "tool_calls": [
         *             {
         *               "id": "call_1",
         *               "type": "function",
         *               "function": {
         *                 "name": "read_log",
         *                 "arguments": "{}"
         *               }
         *             }
         *           ]
         *         },
         *         {
         *           "role": "tool",
         *           "tool_call_id": "call_1",
         *           "content": "error[E0382]: use of moved value"
         *         }
         *       ],
         *       "usage": {
         *         "prompt_tokens": 1250,
         *         "completion_tokens": 31
         *       }
         *     }
         */
        SessionTurn: {
            /**
             * @description Messages in the shape of the session, at most 1,000: the model's answer, the results of your
             *     tools, what the user says next.
             */
            append?: components["schemas"]["JsonValue"][] | null;
            /**
             * @description Whether the next payload is compiled. Without it messages are appended and calls judged, and
             *     nothing is recorded or counted. If absent: `true`.
             */
            compile?: boolean | null;
            source?: components["schemas"]["ConversationShape"] | null;
            /** @description The provider's `usage` object of the payload before, as it came. */
            usage?: components["schemas"]["JsonObject"] | null;
        };
        /**
         * @description What a provider counted of the last payload.
         * @example {
         *       "usage": {
         *         "input_tokens": 50,
         *         "cache_creation_input_tokens": 248,
         *         "cache_read_input_tokens": 18000,
         *         "output_tokens": 503
         *       }
         *     }
         */
        SessionUsage: {
            /** @description The same without the object around it: a word, or `{"type", "cache_missed_input_tokens"}`. */
            cache_miss_reason?: components["schemas"]["JsonObject"] | null;
            /** @description The provider's diagnostics of its cache, as they came. */
            diagnostics?: components["schemas"]["JsonObject"] | null;
            /** @description The provider's list of blocks that it took out of the request, as it came. */
            input_transformations?: components["schemas"]["JsonValue"][] | null;
            /** @description The model that it was for; the one that was compiled for last when absent. */
            model?: string | null;
            /** @description The provider's `usage` object, as it came. */
            usage: components["schemas"]["JsonObject"];
        };
        /** @description The settings of a node. */
        SettingList: {
            /** @description The rows of this page. */
            items: components["schemas"]["SettingRow"][];
        };
        /** @description A flag of `contexture serve`. */
        SettingRow: {
            /** @description What it means. */
            about: string;
            /**
             * @description The flag, without its dashes.
             * @example max-body-bytes
             */
            flag: string;
            /** @description Whether the value is never shown. */
            secret: boolean;
            /**
             * @description What it belongs to.
             * @example Limits
             */
            section: string;
            /**
             * @description `default`, `environment` or `flag`: what the value is from.
             * @example default
             */
            source: string;
            /**
             * @description Null if it is not set, or secret.
             * @example 33554432
             */
            value?: string | null;
            /**
             * @description The variable of the environment that sets it, too.
             * @example CONTEXTURE_MAX_BODY_BYTES
             */
            variable: string;
        };
        /**
         * @description Also entries that the application wrote in a wider scope.
         * @enum {string}
         */
        SharedMemoryWriting: "shared";
        /** @description A skill. */
        Skill: {
            /** @description The tools that the skill may use, or null. */
            allowed_tools?: string[] | null;
            /**
             * Format: date-time
             * @description When it was made: RFC 3339, in UTC.
             */
            created_at?: string | null;
            /** @description What the skill is for. */
            description: string;
            /** @description Absent in lists. */
            instructions?: string | null;
            /** @description An object that is kept with it and not read. */
            metadata?: components["schemas"]["JsonValue"];
            /** @description The name of the skill. */
            name: string;
            /**
             * @description `stored`, or `folder` where it was read from a `SKILL.md` at the start.
             * @example stored
             */
            source: string;
            /**
             * Format: date-time
             * @description When it was last changed: RFC 3339, in UTC.
             */
            updated_at?: string | null;
            /**
             * Format: int64
             * @description From 1, one more with each write.
             */
            version?: number | null;
            /** @description When a model should choose it. */
            when_to_use?: string | null;
        };
        /** @description A skill with what is put into it. */
        SkillChoice: {
            /** @description One text, whose words are the arguments. */
            args?: string | null;
            /** @description In the place of those that are known under the name. */
            instructions?: string | null;
            /**
             * @description The name of the skill.
             * @example review
             */
            name: string;
            /** @description The value of `${NAME}`. */
            vars?: components["schemas"]["JsonObject"] | null;
        };
        /**
         * @description A skill as it is stored. All but `description` and `instructions` may be absent.
         * @example {
         *       "description": "Reviews a change",
         *       "instructions": "Look at $0 and say what is wrong."
         *     }
         */
        SkillDefinition: {
            /** @description Told, and never acted on. */
            allowed_tools?: string[] | null;
            /** @description What it does, for choosing one. */
            description: string;
            /** @description The text for the model. */
            instructions: string;
            /** @description Anything; the list `arguments` in it names the words of the arguments. */
            metadata?: components["schemas"]["JsonValue"];
            /** @description The name in the path. */
            name?: string | null;
            /** @description When a model should choose it. */
            when_to_use?: string | null;
        };
        /** @description A file or folder that is no skill. */
        SkillError: {
            /** @description What is wrong with the file. */
            message: string;
            /**
             * @description The last two names of its path.
             * @example broken/SKILL.md
             */
            path: string;
        };
        /** @description Instructions that follow the system text: the name of a skill, or more about it. */
        SkillInput: string | components["schemas"]["SkillChoice"];
        /** @description Skills by name. */
        SkillList: {
            /** @description What could not be read of the server's folders. */
            errors: components["schemas"]["SkillError"][];
            /** @description The rows of this page. */
            items: components["schemas"]["Skill"][];
            /** @description `cursor` of the next page; null on the last one. */
            next_cursor?: string | null;
        };
        /** @description Everything that decides a session's next compile. */
        Snapshot: {
            /** @description How counts of each model are calibrated. */
            calibration?: components["schemas"]["SnapshotCalibration"][] | null;
            /** @description Where the history was shortened. */
            compaction_points?: number[] | null;
            /**
             * Format: date-time
             * @description When it was made: RFC 3339, in UTC.
             */
            created_at?: string | null;
            /** @description The defaults of the session. */
            defaults?: components["schemas"]["JsonObject"] | null;
            /**
             * @description `contexture-session/1`.
             * @example contexture-session/1
             */
            format: string;
            /**
             * @description True if entries that a model wrote are `captured`. Without it, as in documents of earlier
             *     releases, promoted entries are restored as `captured`.
             */
            has_captured?: boolean | null;
            /** @description The id of the snapshot. */
            id?: string | null;
            /** @description The label that was given, or null. */
            label?: string | null;
            /** @description The entries of its scope, with times in microseconds since 1970. */
            memory?: components["schemas"]["JsonObject"][] | null;
            /** @description The messages of the session. */
            messages?: components["schemas"]["JsonObject"][] | null;
            /**
             * Format: int64
             * @description The most tokens that one compile left out, before any factor.
             */
            removed_tokens?: number | null;
            /** @description What was sent to models that bind their thinking to it. */
            sent?: components["schemas"]["JsonObject"] | null;
            /** @description The session that it was taken of. */
            session_id?: string | null;
            source?: components["schemas"]["ConversationShape"] | null;
            /**
             * Format: int64
             * @description The number of turns.
             */
            turns?: number | null;
        };
        /** @description How a provider's count of a model's payloads stands to ours, with what the next report needs. */
        SnapshotCalibration: components["schemas"]["TokenCalibration"] & {
            /** @description The factors of the last five reports, the newest last; absent if there are none. */
            factors?: number[] | null;
            /**
             * Format: int64
             * @description Tokens of the last payload, before any factor.
             */
            tokens?: number | null;
        };
        /** @description Some snapshots. */
        SnapshotList: {
            /** @description The rows of this page. */
            items: components["schemas"]["SnapshotRow"][];
            /** @description For the next request; null at the end. */
            next_cursor?: string | null;
        };
        /** @description A snapshot, but for what it holds. */
        SnapshotRow: {
            /**
             * Format: date-time
             * @description When it was made: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            created_at: string;
            /**
             * @description The id of the snapshot.
             * @example snap_0198c4f2
             */
            id: string;
            /** @description The label that was given, or null. */
            label?: string | null;
            /**
             * Format: int64
             * @description How many messages it holds.
             */
            messages: number;
            /**
             * @description The session.
             * @example chat-17
             */
            session_id: string;
        };
        /** @description A stage of two compiles. */
        StageRow: {
            /**
             * @description What reached it from outside and was not the same, by name.
             * @example [
             *       "request.compression"
             *     ]
             */
            changed_inputs: string[];
            /** @description Whether the input was the same. */
            input_equal: boolean;
            /** @description Whether the output was the same. */
            output_equal: boolean;
            /**
             * @description The name of the stage.
             * @example compress
             */
            stage: string;
        };
        /** @enum {string} */
        StatePlacement: "last_user" | "system";
        /** @description To one reader: events are no longer kept. */
        StreamGapData: {
            /**
             * Format: int64
             * @description The first number that is missing.
             */
            from: number;
            /**
             * Format: int64
             * @description The last number that is missing.
             */
            to: number;
        };
        /** @description To one reader: events are no longer kept. */
        StreamGapEvent: {
            /** @description Null: the event is not stored. */
            at: null;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["StreamGapData"];
            /** @description Null: the event is for this reader alone. */
            seq: null;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "stream:gap";
        };
        /** @description To one reader: it was too slow, and the stream ends. */
        StreamOverflowData: {
            /**
             * Format: int64
             * @description Events that the reader has not read.
             */
            behind: number;
        };
        /** @description To one reader: it was too slow, and the stream ends. */
        StreamOverflowEvent: {
            /** @description Null: the event is not stored. */
            at: null;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["StreamOverflowData"];
            /** @description Null: the event is for this reader alone. */
            seq: null;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "stream:overflow";
        };
        /** @description The body of a call writes the summary of the turns that leave the history. */
        SummarizeHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["SummarizeHookInput"];
            /**
             * @description What the hook may do.
             * @constant
             */
            kind: "provide";
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "summarize";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "messages": [
         *         {
         *           "id": "m_1",
         *           "role": "user",
         *           "parts": [
         *             {
         *               "type": "text",
         *               "text": "Where does the build fail?"
         *             }
         *           ]
         *         }
         *       ],
         *       "instructions": null,
         *       "material": null,
         *       "max_tokens": 2000
         *     }
         */
        SummarizeHookInput: {
            /** @description what the caller asked the summary to keep, or null */
            instructions?: components["schemas"]["JsonValue"];
            /** @description what hooks at `before_compress` gave for it, or null */
            material?: components["schemas"]["JsonValue"];
            /** @description the most that the summary may take */
            max_tokens?: number | null;
            /** @description messages to summarise, media and stubbed results as lines that name them */
            messages?: components["schemas"]["JsonValue"][] | null;
        };
        /** @enum {string} */
        SwitchReason: "new" | "fork" | "reset" | "rotation" | "resume";
        /**
         * @description What a session is switched to.
         * @example {
         *       "new_session_id": "chat-18",
         *       "reset": true
         *     }
         */
        SwitchSession: {
            /** @description One is made up when absent. */
            new_session_id?: string | null;
            /** @description `new`, `fork`, `reset`, `rotation` or `resume`; it is in the event. */
            reason?: components["schemas"]["SwitchReason"] | null;
            /** @description Whether it begins with nothing of this one's. If absent: `false`. */
            reset?: boolean | null;
        };
        /** @description The place in a text after which it differs from the one before it. */
        SystemSplitPlace: {
            /**
             * Format: int64
             * @description Characters (Unicode code points) of the text before the place: whole lines, or whole words of
             *     its first line.
             * @example 8120
             */
            characters: number;
            /**
             * @description JSON Pointer into this payload: the text.
             * @example /system/0/text
             */
            pointer: string;
            /**
             * Format: int64
             * @description Tokens of the text before the place.
             * @example 1904
             */
            tokens: number;
        };
        /** @enum {string} */
        TailPlacement: "move" | "stay";
        /**
         * @description What a snapshot is called.
         * @example {
         *       "label": "before the migration"
         *     }
         */
        TakeSnapshot: {
            /** @description For people. */
            label?: string | null;
        };
        /** @description The outcome of one result. */
        TakenResult: {
            /**
             * @description `kept`; `changed` by a hook; `compressed`; `truncated`; or `offloaded` if the whole of it is an
             *     artifact. A result that is cut and then compressed is `truncated` or `offloaded`.
             * @example offloaded
             */
            action: string;
            /** @description The whole of it, where that is kept. */
            artifact?: string | null;
            /** @description Length of the content in the returned message, as text. */
            bytes_after: number;
            /** @description Length of the content in the request, as text. */
            bytes_before: number;
            /** @description The call that it answers. */
            id: string;
            /**
             * @description The name of the tool.
             * @example read_log
             */
            name: string;
        };
        /** @description What a hook is tried with; all may be absent. */
        TestHook: {
            /** @description The call's input; one of that point when absent. */
            input?: components["schemas"]["JsonObject"] | null;
            /** @description One of its points; the first when absent. */
            point?: components["schemas"]["HookPointName"] | null;
        };
        /**
         * @description A hook that is tried before it is registered.
         * @example {
         *       "hook": {
         *         "point": "tool_result",
         *         "kind": "transform",
         *         "builtin": "redact",
         *         "config": {
         *           "patterns": [
         *             "linking"
         *           ]
         *         }
         *       }
         *     }
         */
        TestNewHook: {
            /** @description The definition. */
            hook: components["schemas"]["HookDefinition"];
            /** @description The input of the call; one of that point if absent. */
            input?: components["schemas"]["JsonObject"] | null;
            /** @description One of its points; the first if absent. */
            point?: components["schemas"]["HookPointName"] | null;
            /** @description What its call is signed with; made up when absent. */
            secret?: string | null;
        };
        /** @enum {string} */
        ThinkingPolicy: "keep" | "clear_old";
        /** @description A page of a session's timeline, newest first. */
        Timeline: {
            /** @description The rows of this page. */
            items: components["schemas"]["TimelineRow"][];
            /** @description Where the list goes on; null at its end. */
            next_cursor?: string | null;
        };
        /** @description The outcome of one compile of a session, or of one request through the gateway. */
        TimelineRow: {
            actions?: components["schemas"]["ActionCounts"] | null;
            /**
             * Format: int64
             * @description Window less reserve; null of a request through the gateway, which has no budget.
             */
            budget?: number | null;
            /**
             * @description The id of the record.
             * @example cmp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b
             */
            compilation_id: string;
            cost?: components["schemas"]["CompileCost"] | null;
            /**
             * Format: date-time
             * @description When it was made: RFC 3339, in UTC.
             * @example 2026-12-31T23:59:59Z
             */
            created_at: string;
            /** @description Whether this engine would compile the same. */
            current: boolean;
            first_change?: components["schemas"]["FirstChange"] | null;
            /** @description Whether the payload was within the budget. */
            fits: boolean;
            /** @description The model of the request; null if it named none. */
            model?: string | null;
            parts?: components["schemas"]["PartTokens"] | null;
            /** @description `hashes` or `full`. */
            record: string;
            /**
             * Format: int64
             * @description Tokens before the first place that changes with every compile; null of a request through the
             *     gateway.
             */
            stable_tokens?: number | null;
            /** @description `compiled` or `refused`. */
            status: string;
            /**
             * Format: int64
             * @description Tokens of the payload.
             */
            tokens_after: number;
            /**
             * Format: int64
             * @description Tokens of the conversation before anything was shortened.
             */
            tokens_before: number;
            /**
             * Format: int64
             * @description Tokens that this compile left out and no earlier one of the session did.
             */
            unique_saved_tokens?: number | null;
        };
        /** @description How a provider's count of a model's payloads stands to ours. */
        TokenCalibration: {
            /**
             * Format: double
             * @description The number by which a count is multiplied: the median of the last five reports. Null until a
             *     report was learnt from.
             * @example 1.173
             */
            factor?: number | null;
            /**
             * @description The model, or the target where requests name no model.
             * @example claude-sonnet-4-5
             */
            model: string;
            /**
             * Format: int64
             * @description The number of reports that were learnt from.
             */
            reports: number;
        };
        /**
         * @description What to count: one of `text`, `messages` and `tools`.
         * @example {
         *       "text": "How many tokens is this?",
         *       "model": "gpt-4o"
         *     }
         */
        TokensRequest: {
            /** @description Messages in any shape that `/compile` takes, under its keys. */
            messages?: components["schemas"]["ConversationMessage"][] | null;
            /** @description Decides the tokenizer and the factor; `o200k_base` when absent. */
            model?: string | null;
            source?: components["schemas"]["ConversationShape"] | null;
            target?: components["schemas"]["ConversationShape"] | null;
            /** @description A text. */
            text?: string | null;
            /** @description The provider's array of tools. */
            tools?: components["schemas"]["JsonObject"][] | null;
        };
        /** @description The answer of `POST /tokens`. */
        TokensResponse: {
            /** @description Whether the provider counts the same. */
            exact: boolean;
            /** @description Tokens of each message, system text first, where messages are counted. */
            per_message?: number[] | null;
            /**
             * @description The tokenizer that counted.
             * @example o200k_base
             */
            tokenizer: string;
            /**
             * Format: int64
             * @description Tokens in all, framing included where messages or tools are counted.
             */
            tokens: number;
        };
        /** @description The body of a call before a tool call is carried out. */
        ToolCallHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["ToolCallHookInput"];
            /** @description What the hook may do: guard, transform, observe. */
            kind: components["schemas"]["HookKind"];
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "tool_call";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "tool": {
         *         "name": "Bash",
         *         "call_id": "call_1",
         *         "arguments": {
         *           "command": "cargo build"
         *         }
         *       },
         *       "batch": {
         *         "index": 0,
         *         "size": 1
         *       }
         *     }
         */
        ToolCallHookInput: {
            /** @description `{index, size}` among the calls of one message */
            batch?: components["schemas"]["JsonObject"] | null;
            /** @description `{name, call_id, arguments}`; arguments as an object, those of a free-form call as text */
            tool?: components["schemas"]["JsonObject"] | null;
        };
        /** @description What becomes of a call. */
        ToolCallResult: {
            /** @description For the caller: what the tool is to be run with. */
            arguments?: components["schemas"]["JsonValue"];
            /**
             * @description `allow` or `deny`.
             * @example allow
             */
            decision: string;
            /**
             * @description Who runs it: `service` where that is done, else `caller`.
             * @example service
             */
            for: string;
            /** @description The id of the call. */
            id: string;
            /** @description The result to append, in the shape of the calls. */
            message?: components["schemas"]["JsonValue"];
            /**
             * @description The tool that is meant: of a namespace, its action.
             * @example create_memory
             */
            name: string;
            /** @description The namespace that it was called through. */
            namespace?: string | null;
            /** @description Why it is denied. */
            reason?: string | null;
        };
        /**
         * @description The calls of one assistant message.
         * @example {
         *       "calls": [
         *         {
         *           "id": "call_1",
         *           "type": "function",
         *           "function": {
         *             "name": "create_memory",
         *             "arguments": "{\"key\": \"language\", \"value\": \"TypeScript\"}"
         *           }
         *         }
         *       ]
         *     }
         */
        ToolCallsRequest: {
            /**
             * @description The keys that the model may write, as `memory.allowed_keys` of the compile. It can narrow the
             *     list of the defaults, not widen it.
             */
            allowed_keys?: string[] | null;
            /**
             * @description As the provider gave them: `tool_calls` of `OpenAI` Chat, `tool_use` blocks of Anthropic,
             *     `functionCall` parts of Gemini, `function_call` items of `OpenAI` Responses.
             */
            calls: components["schemas"]["JsonValue"][];
            scope?: components["schemas"]["MemoryScope"] | null;
            /**
             * @description The session of the calls. Its defaults and those of the key give `tools`, and the scope, the
             *     keys and the life of what the model writes, as in a compile.
             */
            session_id?: string | null;
            source?: components["schemas"]["ConversationShape"] | null;
            tools?: components["schemas"]["ToolsInput"] | null;
        };
        /** @description What becomes of each call, in their order. */
        ToolCallsResponse: {
            /** @description The outcomes of the hooks at `tool_call`, a line each; absent if there are none. */
            hooks?: components["schemas"]["HookReport"][];
            /** @description A result or a refusal for each call, in the order of the calls. */
            results: components["schemas"]["ToolCallResult"][];
        };
        /** @description What a tool costs in every request. */
        ToolCost: {
            /**
             * @description The name of the tool.
             * @example read_file
             */
            name: string;
            /**
             * Format: int64
             * @description Tokens of its definition.
             */
            tokens: number;
        };
        /** @description A guard denied a call of the model. */
        ToolDeniedData: {
            /** @description The id of the call. */
            call_id: string;
            /** @description The code that the hook gave, or null. */
            code?: string | null;
            /** @description The id of the hook. */
            hook: string;
            /** @description The tool. */
            tool: string;
        };
        /** @description A guard denied a call of the model. */
        ToolDeniedEvent: {
            /**
             * Format: date-time
             * @description When it happened: RFC 3339, in UTC.
             */
            at: string;
            /** @description The compile that it is about, or null. */
            compilation_id: string | null;
            data: components["schemas"]["ToolDeniedData"];
            /**
             * Format: int64
             * @description From 1, one more with each event of the tenant.
             */
            seq: number;
            /** @description The session that it is about, or null. */
            session_id: string | null;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "tool:denied";
        };
        /** @description Tools that belong together. */
        ToolGroup: {
            /** @description What the tools of the group are for, for the model. */
            description?: string | null;
            /**
             * @description The name of the group.
             * @example file_ops
             */
            name: string;
            /** @description An array; with Gemini's tools one object will do. */
            tools: components["schemas"]["JsonValue"];
        };
        /** @description Which tools a model gets, and how. */
        ToolOptions: {
            /** @description Names whose calls `POST /tools/calls` denies; the payload stays the same. */
            blocked?: string[] | null;
            /** @description The provider's array. An entry may have `tags`, which are not sent. */
            list?: components["schemas"]["JsonValue"][] | null;
            /** @description Whether schemas lose what says nothing. */
            minify?: boolean | null;
            /** @description Groups that the model sees as one tool each, with `action` and `args`. */
            namespaces?: components["schemas"]["ToolGroup"][] | null;
            prune?: components["schemas"]["ToolPruning"] | null;
            /**
             * @description Groups that the model sees once it has called `load_toolkit`; until then it sees what they
             *     are called.
             */
            toolkits?: components["schemas"]["ToolGroup"][] | null;
        };
        /** @description Which tools of the list stay. */
        ToolPruning: {
            /** @description Stays what is named here, in any case of its letters. */
            allow?: string[] | null;
            /**
             * @description Where both are given: `union` (when absent) keeps what either keeps, `intersection` what
             *     both do. If absent: `"union"`.
             */
            strategy?: string | null;
            /** @description Stays what has no tags, or whose name or tag occurs in this text. */
            task?: string | null;
        };
        /** @description The body of a call a tool's result, when it is first seen. */
        ToolResultHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["ToolResultHookInput"];
            /** @description What the hook may do: transform, observe. */
            kind: components["schemas"]["HookKind"];
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "tool_result";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "tool": {
         *         "name": "Bash",
         *         "call_id": "call_1",
         *         "arguments": {
         *           "command": "cargo build"
         *         }
         *       },
         *       "result": {
         *         "content": "error: linking with cc failed",
         *         "is_error": true
         *       }
         *     }
         */
        ToolResultHookInput: {
            /** @description `{content, is_error}`, and `stdout`, `stderr`, `exit_code` where given */
            result?: components["schemas"]["JsonObject"] | null;
            /** @description `{name, call_id, arguments}`; arguments as an object, those of a free-form call as text */
            tool?: components["schemas"]["JsonObject"] | null;
        };
        /**
         * @description What tools have answered.
         * @example {
         *       "results": [
         *         {
         *           "id": "call_1",
         *           "name": "read_log",
         *           "content": "…"
         *         }
         *       ],
         *       "truncate": {
         *         "threshold": 5000,
         *         "tail_chars": 1000,
         *         "store": true
         *       }
         *     }
         */
        ToolResultsRequest: {
            /**
             * @description `off`, `lossless` (when absent) or `reversible`, which shortens what a format's adapter
             *     knows.
             */
            compression?: components["schemas"]["ResultLevel"] | null;
            /** @description Decides the tokenizer. */
            model?: string | null;
            /**
             * @description How lossless forms may show values: `plain`, each as it was written; `computed`, some derived
             *     from others; or `none`, only what keeps the format of the original. When absent,
             *     `compression.notations` of the defaults of the session, or of the key if the session's have no
             *     `compression`; else `plain`.
             */
            notations?: components["schemas"]["AllowedNotations"] | null;
            /** @description Whether what is shortened names its artifact for the tool `context_read`. */
            read_tool?: boolean | null;
            /** @description The results of the tools. */
            results: components["schemas"]["RawToolResult"][];
            /** @description The session, for its hooks and for `compression.notations` of its defaults. */
            session_id?: string | null;
            source?: components["schemas"]["ConversationShape"] | null;
            truncate?: components["schemas"]["TruncateOptions"] | null;
        };
        /** @description The messages to append. */
        ToolResultsResponse: {
            /** @description The originals that were stored. */
            artifacts: components["schemas"]["OriginalText"][];
            /** @description The results in the shape of the target. */
            messages: components["schemas"]["JsonValue"][];
            /** @description What compression did. */
            report: components["schemas"]["Report"];
            /** @description The outcome for each result, in their order. */
            results: components["schemas"]["TakenResult"][];
            /** @description What the caller should know of. */
            warnings: string[];
        };
        /** @description Tools as they are given. */
        ToolsInput: components["schemas"]["JsonValue"][] | components["schemas"]["ToolOptions"];
        /** @description The tools of a payload. */
        ToolsReport: {
            /** @description Those of them that stay. */
            kept: number;
            /** @description The names of the others. */
            removed: string[];
            /** @description The tools of the payload, ours among them. */
            surfaced: components["schemas"]["ToolCost"][];
            /** @description Tools that were given in the list. */
            total: number;
        };
        /**
         * @description How a transform changes its input.
         * @enum {string}
         */
        TransformAction: "unchanged" | "replace" | "merge_patch" | "json_patch";
        /**
         * @description What a transform returns; `null` changes nothing.
         * @example {
         *       "action": "merge_patch",
         *       "patch": {
         *         "priority": "high"
         *       }
         *     }
         */
        TransformAnswer: {
            /** @description How the input changes. */
            action: components["schemas"]["TransformAction"];
            /** @description With `merge_patch` an object (RFC 7396), with `json_patch` a list of operations (RFC 6902). */
            patch?: components["schemas"]["JsonValue"];
            /** @description With `replace`: the new value. */
            payload?: components["schemas"]["JsonValue"];
        };
        /** @description The body of a call the complete list of messages before it becomes the provider's payload. */
        TransformContextHookCall: {
            delivery: components["schemas"]["HookCallDelivery"];
            hook: components["schemas"]["CalledHook"];
            input: components["schemas"]["TransformContextHookInput"];
            /** @description What the hook may do: transform, guard, observe. */
            kind: components["schemas"]["HookKind"];
            /**
             * @description The point. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            point: "transform_context";
            scope: components["schemas"]["HookCallScope"];
            /**
             * @description The version of this format.
             * @constant
             */
            spec: "hooks/1";
        };
        /**
         * @description What the hook may see.
         * @example {
         *       "target": "openai",
         *       "model": null,
         *       "messages": [
         *         {
         *           "id": "m_1",
         *           "role": "user",
         *           "parts": [
         *             {
         *               "type": "text",
         *               "text": "Where does the build fail?"
         *             }
         *           ]
         *         }
         *       ]
         *     }
         */
        TransformContextHookInput: {
            /** @description messages, the tail of the last one included */
            messages?: components["schemas"]["JsonValue"][] | null;
            /** @description as the caller named it, or null */
            model?: components["schemas"]["JsonValue"];
            /** @description the shape that is written */
            target?: string | null;
        };
        /** @description How long results are cut; in UTF-16 units. */
        TruncateOptions: {
            /**
             * Format: int64
             * @description Units of the beginning that stay. If absent: `0`.
             */
            head_chars?: number | null;
            /**
             * @description A tool's name: never cut. `{"name", "threshold"?, "head_chars"?, "tail_chars"?}`: cut so. The
             *     last of a name counts.
             */
            per_tool?: components["schemas"]["JsonValue"][] | null;
            /** @description Whether the whole of what is cut is kept as an artifact, which the cut text names. */
            store?: boolean | null;
            /**
             * Format: int64
             * @description Units of the end that stay. If absent: `1000`.
             */
            tail_chars?: number | null;
            /**
             * Format: int64
             * @description Results of at most so many stay whole. If absent: `5000`.
             */
            threshold?: number | null;
        };
        /** @description The next payload. */
        TurnPayload: {
            /**
             * @description The id of the record.
             * @example cmp_8d2c41f09b7e
             */
            id: string;
            /** @description As `/compile` returns it. */
            payload: components["schemas"]["CompilePayload"];
            /** @description What was done, and why. */
            report: components["schemas"]["Report"];
            /**
             * @description The outcomes of the calls that came without a result, as `POST /tools/calls` has it. What was
             *     denied or ours has its result in the conversation already.
             */
            results: components["schemas"]["ToolCallResult"][];
        };
        /** @description The next payload, or without a compile what was appended. */
        TurnResponse: components["schemas"]["TurnPayload"] | components["schemas"]["AppendedTurn"];
        /** @description What payloads cost, in micro-dollars (millionths of a dollar). */
        UsageCost: {
            /**
             * Format: int64
             * @description Tokens of the payloads that the provider read from its cache: reported, or else assumed.
             */
            cache_read_tokens: number;
            /**
             * Format: int64
             * @description Tokens of the payloads that it wrote to its cache.
             */
            cache_write_tokens: number;
            /**
             * Format: int64
             * @description Answers, of requests whose output was reported; null if there are none.
             */
            output_micros?: number | null;
            /**
             * Format: int64
             * @description What the payloads cost.
             */
            payload_micros: number;
            /**
             * Format: int64
             * @description Tokens of the payloads of priced requests: what the two above are shares of.
             */
            payload_tokens: number;
            /**
             * Format: int64
             * @description Requests whose cost is known: the sums below are of these.
             */
            priced_requests: number;
            /**
             * Format: int64
             * @description Requests among them whose cost is by the provider's usage; of the others it is assumed.
             */
            reported_requests: number;
            /**
             * Format: int64
             * @description `unshortened_micros` less `payload_micros`: each text counts in every request that it is left
             *     out of.
             */
            saved_micros: number;
            /**
             * Format: int64
             * @description The part of `unshortened_micros` for text that was left out for the first time.
             */
            unique_saved_micros: number;
            /**
             * Format: int64
             * @description What the conversations would have cost unshortened.
             */
            unshortened_micros: number;
        };
        /** @description How long compiles took, from the read request to the stored effects. At most an eighth too long. */
        UsageDurations: {
            /**
             * Format: double
             * @description Milliseconds within which half of them ended.
             * @example 2.1
             */
            p50_ms: number;
            /**
             * Format: double
             * @description Milliseconds within which 90 % ended.
             * @example 8.7
             */
            p90_ms: number;
            /**
             * Format: double
             * @description Milliseconds within which 99 % ended.
             * @example 31
             */
            p99_ms: number;
            /**
             * Format: int64
             * @description Compiles that were measured.
             */
            requests: number;
        };
        /** @description Some usage. */
        UsageList: {
            durations?: components["schemas"]["UsageDurations"] | null;
            /** @description The rows of this page. */
            items: components["schemas"]["UsageRow"][];
            /** @description For the next request; null at the end. */
            next_cursor?: string | null;
            /** @description What the tenant keeps now, and what it may keep. */
            quotas: components["schemas"]["QuotaRow"][];
        };
        /** @description The session after a report of usage. */
        UsageResponse: components["schemas"]["Session"] & {
            cost?: components["schemas"]["CompileCost"] | null;
            /**
             * @description `usage_implausible`: the report was not learnt from. `thinking_dropped_by_provider` and
             *     `cache_missed`: what the diagnostics say.
             */
            warnings: components["schemas"]["ReportNote"][];
        };
        /** @description What a key used of a model in a day. */
        UsageRow: {
            cost?: components["schemas"]["UsageCost"] | null;
            /**
             * @description The day, in UTC.
             * @example 2026-12-31
             */
            day: string;
            /**
             * @description When the hour of the row begins, in UTC, in lists by hour.
             * @example 2026-12-31T13:00:00Z
             */
            hour?: string | null;
            /** @description The key's id; null for callers without one. */
            key?: string | null;
            /**
             * @description As the table of models has it, `other` for one that is not there, null where a request
             *     named none.
             * @example claude-sonnet-4-5
             */
            model?: string | null;
            /**
             * Format: int64
             * @description Compiles and compressions.
             */
            requests: number;
            /** @description The session that the row is the share of, in lists of sessions. */
            session_id?: string | null;
            /**
             * @description The tenant of the key.
             * @example default
             */
            tenant: string;
            /**
             * Format: int64
             * @description As they were answered.
             */
            tokens_after: number;
            /**
             * Format: int64
             * @description As they came in.
             */
            tokens_before: number;
            /**
             * Format: int64
             * @description Tokens that were left out for the first time: what a session has left out before is not
             *     counted again.
             */
            unique_saved_tokens: number;
        };
        /** @description What following a log has found. */
        VerifiedLog: {
            /**
             * Format: int64
             * @description The number of the first line that was changed, or that is gone.
             */
            broken_at?: number | null;
            /**
             * Format: int64
             * @description Lines that are as they were written, from the first on.
             */
            lines: number;
            /** @description Whether every line is as it was written. */
            ok: boolean;
        };
        /** @description Both logs, followed from end to end. */
        VerifiedLogs: {
            /** @description The log of proposals. */
            captures: components["schemas"]["VerifiedLog"];
            /** @description The log of candidates. */
            events: components["schemas"]["VerifiedLog"];
        };
        /**
         * @description What may be written, and what of it needs no review. The server's own, where there is none:
         *     every class, and the tiers `working` and `episodic` without a review.
         */
        WritePolicy: {
            /** @description Classes that may be promoted without a review. */
            auto_promote_classes?: components["schemas"]["MemoryClass"][] | null;
            /** @description All of them when absent. */
            classes?: components["schemas"]["MemoryClass"][] | null;
            /** @description Whether nothing is promoted without consent. If absent: `false`. */
            consent_required?: boolean | null;
            /**
             * Format: double
             * @description How sure a proposal must be to be promoted without a review. If absent: `0.8`.
             */
            min_confidence?: number | null;
        };
    };
    responses: {
        /** @description The body is larger than the limit */
        BodyTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description What is stored does not allow it, or the same request is being carried out */
        Conflict: {
            headers: {
                /** @description Seconds to wait; only if the same request is being carried out */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request is not valid; `errors` lists every faulty place */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Another version is stored */
        PreconditionFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key has made all the requests that it may make for now */
        RateLimited: {
            headers: {
                /** @description Seconds after which to send the request again */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The server is overloaded, or its store cannot be reached */
        Unavailable: {
            headers: {
                /** @description Seconds after which to send the request again */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type ActionCounts = components['schemas']['ActionCounts'];
export type ActorKind = components['schemas']['ActorKind'];
export type Adapter = components['schemas']['Adapter'];
export type AdapterDefinition = components['schemas']['AdapterDefinition'];
export type AdapterDetect = components['schemas']['AdapterDetect'];
export type AdapterLineShare = components['schemas']['AdapterLineShare'];
export type AdapterList = components['schemas']['AdapterList'];
export type AdapterRow = components['schemas']['AdapterRow'];
export type AdapterTest = components['schemas']['AdapterTest'];
export type AdapterTestRequest = components['schemas']['AdapterTestRequest'];
export type AfterCompressHookCall = components['schemas']['AfterCompressHookCall'];
export type AfterCompressHookInput = components['schemas']['AfterCompressHookInput'];
export type AllowedNotations = components['schemas']['AllowedNotations'];
export type AnthropicPayload = components['schemas']['AnthropicPayload'];
export type ApiKey = components['schemas']['ApiKey'];
export type AppendedTurn = components['schemas']['AppendedTurn'];
export type ArtifactCleanup = components['schemas']['ArtifactCleanup'];
export type ArtifactCleanupRequest = components['schemas']['ArtifactCleanupRequest'];
export type BeforeCompileHookCall = components['schemas']['BeforeCompileHookCall'];
export type BeforeCompileHookInput = components['schemas']['BeforeCompileHookInput'];
export type BeforeCompressHookCall = components['schemas']['BeforeCompressHookCall'];
export type BeforeCompressHookInput = components['schemas']['BeforeCompressHookInput'];
export type BudgetInput = components['schemas']['BudgetInput'];
export type BudgetOptions = components['schemas']['BudgetOptions'];
export type BuiltInHook = components['schemas']['BuiltInHook'];
export type CacheExpiringData = components['schemas']['CacheExpiringData'];
export type CacheExpiringEvent = components['schemas']['CacheExpiringEvent'];
export type CacheExpiringHookCall = components['schemas']['CacheExpiringHookCall'];
export type CacheExpiringHookInput = components['schemas']['CacheExpiringHookInput'];
export type CacheInput = components['schemas']['CacheInput'];
export type CacheOptions = components['schemas']['CacheOptions'];
export type CacheReport = components['schemas']['CacheReport'];
export type CacheState = components['schemas']['CacheState'];
export type CacheTtl = components['schemas']['CacheTtl'];
export type CalledHook = components['schemas']['CalledHook'];
export type Candidate = components['schemas']['Candidate'];
export type CandidateActor = components['schemas']['CandidateActor'];
export type CandidateCapture = components['schemas']['CandidateCapture'];
export type CandidateChecks = components['schemas']['CandidateChecks'];
export type CandidateEvent = components['schemas']['CandidateEvent'];
export type CandidateEvents = components['schemas']['CandidateEvents'];
export type CandidateList = components['schemas']['CandidateList'];
export type CandidatePromotion = components['schemas']['CandidatePromotion'];
export type CandidateProposal = components['schemas']['CandidateProposal'];
export type CandidateReview = components['schemas']['CandidateReview'];
export type CandidateReviewRow = components['schemas']['CandidateReviewRow'];
export type CarriedItem = components['schemas']['CarriedItem'];
export type CarriedTool = components['schemas']['CarriedTool'];
export type ChangeKey = components['schemas']['ChangeKey'];
export type ChangeReason = components['schemas']['ChangeReason'];
export type ChangeSession = components['schemas']['ChangeSession'];
export type Classification = components['schemas']['Classification'];
export type ClearOptions = components['schemas']['ClearOptions'];
export type ClearSetting = components['schemas']['ClearSetting'];
export type CompactionPutOff = components['schemas']['CompactionPutOff'];
export type CompareRequest = components['schemas']['CompareRequest'];
export type CompareResponse = components['schemas']['CompareResponse'];
export type Compilation = components['schemas']['Compilation'];
export type CompilationList = components['schemas']['CompilationList'];
export type CompilationRecord = components['schemas']['CompilationRecord'];
export type CompilationRow = components['schemas']['CompilationRow'];
export type CompileCost = components['schemas']['CompileCost'];
export type CompileDoneData = components['schemas']['CompileDoneData'];
export type CompileDoneEvent = components['schemas']['CompileDoneEvent'];
export type CompileEffects = components['schemas']['CompileEffects'];
export type CompileFailedData = components['schemas']['CompileFailedData'];
export type CompileFailedEvent = components['schemas']['CompileFailedEvent'];
export type CompilePayload = components['schemas']['CompilePayload'];
export type CompileRefusal = components['schemas']['CompileRefusal'];
export type CompileRequest = components['schemas']['CompileRequest'];
export type CompileStartData = components['schemas']['CompileStartData'];
export type CompileStartEvent = components['schemas']['CompileStartEvent'];
export type CompressData = components['schemas']['CompressData'];
export type CompressEvent = components['schemas']['CompressEvent'];
export type CompressFormatHookCall = components['schemas']['CompressFormatHookCall'];
export type CompressFormatHookInput = components['schemas']['CompressFormatHookInput'];
export type CompressLevel = components['schemas']['CompressLevel'];
export type CompressRequest = components['schemas']['CompressRequest'];
export type CompressResponse = components['schemas']['CompressResponse'];
export type CompressedBy = components['schemas']['CompressedBy'];
export type CompressionInput = components['schemas']['CompressionInput'];
export type CompressionLevel = components['schemas']['CompressionLevel'];
export type CompressionOptions = components['schemas']['CompressionOptions'];
export type ConsoleSession = components['schemas']['ConsoleSession'];
export type ContextInjectedData = components['schemas']['ContextInjectedData'];
export type ContextInjectedEvent = components['schemas']['ContextInjectedEvent'];
export type ContradictionCheck = components['schemas']['ContradictionCheck'];
export type ContradictionResolution = components['schemas']['ContradictionResolution'];
export type ConversationMessage = components['schemas']['ConversationMessage'];
export type ConversationShape = components['schemas']['ConversationShape'];
export type CostCacheAssumption = components['schemas']['CostCacheAssumption'];
export type CostCacheState = components['schemas']['CostCacheState'];
export type CoveredRange = components['schemas']['CoveredRange'];
export type CreateKey = components['schemas']['CreateKey'];
export type CreateSession = components['schemas']['CreateSession'];
export type Delegation = components['schemas']['Delegation'];
export type DelegationHookCall = components['schemas']['DelegationHookCall'];
export type DelegationHookInput = components['schemas']['DelegationHookInput'];
export type DelegationPath = components['schemas']['DelegationPath'];
export type DelegationRecordedData = components['schemas']['DelegationRecordedData'];
export type DelegationRecordedEvent = components['schemas']['DelegationRecordedEvent'];
export type DelegationReport = components['schemas']['DelegationReport'];
export type DelegationStatus = components['schemas']['DelegationStatus'];
export type Delivery = components['schemas']['Delivery'];
export type DeliveryAttempt = components['schemas']['DeliveryAttempt'];
export type DeliveryList = components['schemas']['DeliveryList'];
export type DeliveryMode = components['schemas']['DeliveryMode'];
export type DiffStep = components['schemas']['DiffStep'];
export type EnforcementMode = components['schemas']['EnforcementMode'];
export type EventGap = components['schemas']['EventGap'];
export type EventHookCall = components['schemas']['EventHookCall'];
export type EventHookInput = components['schemas']['EventHookInput'];
export type EventList = components['schemas']['EventList'];
export type EventRow = components['schemas']['EventRow'];
export type EventTicket = components['schemas']['EventTicket'];
export type ExistingEntry = components['schemas']['ExistingEntry'];
export type ExpandRequest = components['schemas']['ExpandRequest'];
export type ExpandedList = components['schemas']['ExpandedList'];
export type ExplainMode = components['schemas']['ExplainMode'];
export type FieldError = components['schemas']['FieldError'];
export type FirstChange = components['schemas']['FirstChange'];
export type ForkSession = components['schemas']['ForkSession'];
export type GatewayBlocks = components['schemas']['GatewayBlocks'];
export type GatewayConfig = components['schemas']['GatewayConfig'];
export type GatewayHealth = components['schemas']['GatewayHealth'];
export type GatewayMessageEdit = components['schemas']['GatewayMessageEdit'];
export type GatewayReport = components['schemas']['GatewayReport'];
export type GatewayRequest = components['schemas']['GatewayRequest'];
export type GatewayRequestData = components['schemas']['GatewayRequestData'];
export type GatewayRequestEvent = components['schemas']['GatewayRequestEvent'];
export type GatewayRequestStats = components['schemas']['GatewayRequestStats'];
export type GatewayResponse = components['schemas']['GatewayResponse'];
export type GatewayStats = components['schemas']['GatewayStats'];
export type GatewayTokenStats = components['schemas']['GatewayTokenStats'];
export type GatewayTokens = components['schemas']['GatewayTokens'];
export type GeminiPayload = components['schemas']['GeminiPayload'];
export type GoldenCase = components['schemas']['GoldenCase'];
export type GoldenList = components['schemas']['GoldenList'];
export type GoldenRequest = components['schemas']['GoldenRequest'];
export type GoldenRow = components['schemas']['GoldenRow'];
export type GoldenRun = components['schemas']['GoldenRun'];
export type GoldenRunRequest = components['schemas']['GoldenRunRequest'];
export type GuardAnswer = components['schemas']['GuardAnswer'];
export type GuardVerdict = components['schemas']['GuardVerdict'];
export type HealthReport = components['schemas']['HealthReport'];
export type HistorySummary = components['schemas']['HistorySummary'];
export type HookCall = components['schemas']['HookCall'];
export type HookCallDelivery = components['schemas']['HookCallDelivery'];
export type HookCallScope = components['schemas']['HookCallScope'];
export type HookChange = components['schemas']['HookChange'];
export type HookCheckRow = components['schemas']['HookCheckRow'];
export type HookDefinition = components['schemas']['HookDefinition'];
export type HookDeniedData = components['schemas']['HookDeniedData'];
export type HookDeniedEvent = components['schemas']['HookDeniedEvent'];
export type HookDiff = components['schemas']['HookDiff'];
export type HookDisabledData = components['schemas']['HookDisabledData'];
export type HookDisabledEvent = components['schemas']['HookDisabledEvent'];
export type HookFailedData = components['schemas']['HookFailedData'];
export type HookFailedEvent = components['schemas']['HookFailedEvent'];
export type HookKind = components['schemas']['HookKind'];
export type HookList = components['schemas']['HookList'];
export type HookLostData = components['schemas']['HookLostData'];
export type HookLostEvent = components['schemas']['HookLostEvent'];
export type HookOrder = components['schemas']['HookOrder'];
export type HookOrderRequest = components['schemas']['HookOrderRequest'];
export type HookPoint = components['schemas']['HookPoint'];
export type HookPointKind = components['schemas']['HookPointKind'];
export type HookPointName = components['schemas']['HookPointName'];
export type HookPoints = components['schemas']['HookPoints'];
export type HookQueue = components['schemas']['HookQueue'];
export type HookRecord = components['schemas']['HookRecord'];
export type HookRegistration = components['schemas']['HookRegistration'];
export type HookReport = components['schemas']['HookReport'];
export type HookRow = components['schemas']['HookRow'];
export type HookTestResult = components['schemas']['HookTestResult'];
export type Inventory = components['schemas']['Inventory'];
export type JsonObject = components['schemas']['JsonObject'];
export type JsonValue = components['schemas']['JsonValue'];
export type KeptToolResults = components['schemas']['KeptToolResults'];
export type KeyKind = components['schemas']['KeyKind'];
export type KeyLimits = components['schemas']['KeyLimits'];
export type KeyList = components['schemas']['KeyList'];
export type KeyScope = components['schemas']['KeyScope'];
export type LedgerLine = components['schemas']['LedgerLine'];
export type MemoryActRequest = components['schemas']['MemoryActRequest'];
export type MemoryActResponse = components['schemas']['MemoryActResponse'];
export type MemoryAction = components['schemas']['MemoryAction'];
export type MemoryChange = components['schemas']['MemoryChange'];
export type MemoryChangedEvent = components['schemas']['MemoryChangedEvent'];
export type MemoryChangedHookCall = components['schemas']['MemoryChangedHookCall'];
export type MemoryChangedHookInput = components['schemas']['MemoryChangedHookInput'];
export type MemoryClass = components['schemas']['MemoryClass'];
export type MemoryDeniedData = components['schemas']['MemoryDeniedData'];
export type MemoryDeniedEvent = components['schemas']['MemoryDeniedEvent'];
export type MemoryEntry = components['schemas']['MemoryEntry'];
export type MemoryEventData = components['schemas']['MemoryEventData'];
export type MemoryEventScope = components['schemas']['MemoryEventScope'];
export type MemoryExpiredEvent = components['schemas']['MemoryExpiredEvent'];
export type MemoryExpiredHookCall = components['schemas']['MemoryExpiredHookCall'];
export type MemoryExpiredHookInput = components['schemas']['MemoryExpiredHookInput'];
export type MemoryImportResponse = components['schemas']['MemoryImportResponse'];
export type MemoryInput = components['schemas']['MemoryInput'];
export type MemoryList = components['schemas']['MemoryList'];
export type MemoryOptions = components['schemas']['MemoryOptions'];
export type MemoryRecallRequest = components['schemas']['MemoryRecallRequest'];
export type MemoryRecallResponse = components['schemas']['MemoryRecallResponse'];
export type MemoryReport = components['schemas']['MemoryReport'];
export type MemoryRestore = components['schemas']['MemoryRestore'];
export type MemoryScope = components['schemas']['MemoryScope'];
export type MemoryScopeRequest = components['schemas']['MemoryScopeRequest'];
export type MemoryTier = components['schemas']['MemoryTier'];
export type MemoryTtl = components['schemas']['MemoryTtl'];
export type MemoryType = components['schemas']['MemoryType'];
export type MemoryUpdateHookCall = components['schemas']['MemoryUpdateHookCall'];
export type MemoryUpdateHookInput = components['schemas']['MemoryUpdateHookInput'];
export type MemoryVersionRow = components['schemas']['MemoryVersionRow'];
export type MemoryVersions = components['schemas']['MemoryVersions'];
export type MemoryWrite = components['schemas']['MemoryWrite'];
export type MemoryWriting = components['schemas']['MemoryWriting'];
export type MessageAction = components['schemas']['MessageAction'];
export type MessageDecision = components['schemas']['MessageDecision'];
export type MissingOriginal = components['schemas']['MissingOriginal'];
export type ModelList = components['schemas']['ModelList'];
export type ModelPriceStep = components['schemas']['ModelPriceStep'];
export type ModelPrices = components['schemas']['ModelPrices'];
export type ModelRow = components['schemas']['ModelRow'];
export type NeutralPayload = components['schemas']['NeutralPayload'];
export type NewHook = components['schemas']['NewHook'];
export type NewKey = components['schemas']['NewKey'];
export type NotationTokens = components['schemas']['NotationTokens'];
export type OffloadRequest = components['schemas']['OffloadRequest'];
export type OffloadResponse = components['schemas']['OffloadResponse'];
export type OnArrival = components['schemas']['OnArrival'];
export type OnDeadline = components['schemas']['OnDeadline'];
export type OnFailure = components['schemas']['OnFailure'];
export type OnOverflow = components['schemas']['OnOverflow'];
export type OpenAiPayload = components['schemas']['OpenAiPayload'];
export type OpenAiResponsesPayload = components['schemas']['OpenAiResponsesPayload'];
export type OriginalText = components['schemas']['OriginalText'];
export type OriginalsPolicy = components['schemas']['OriginalsPolicy'];
export type OutcomeChange = components['schemas']['OutcomeChange'];
export type OutputOptions = components['schemas']['OutputOptions'];
export type OversizedPart = components['schemas']['OversizedPart'];
export type Pack = components['schemas']['Pack'];
export type PackChange = components['schemas']['PackChange'];
export type PackDiff = components['schemas']['PackDiff'];
export type PackDiffRequest = components['schemas']['PackDiffRequest'];
export type PackDocument = components['schemas']['PackDocument'];
export type PackLayerDiff = components['schemas']['PackLayerDiff'];
export type PackLintFault = components['schemas']['PackLintFault'];
export type PackLintResponse = components['schemas']['PackLintResponse'];
export type PackList = components['schemas']['PackList'];
export type PackPublished = components['schemas']['PackPublished'];
export type PackRow = components['schemas']['PackRow'];
export type PackVersions = components['schemas']['PackVersions'];
export type PartTokens = components['schemas']['PartTokens'];
export type PriceStepRule = components['schemas']['PriceStepRule'];
export type PriceStepUse = components['schemas']['PriceStepUse'];
export type Problem = components['schemas']['Problem'];
export type ProtectOptions = components['schemas']['ProtectOptions'];
export type ProvideAnswer = components['schemas']['ProvideAnswer'];
export type ProviderRequirements = components['schemas']['ProviderRequirements'];
export type QuotaRow = components['schemas']['QuotaRow'];
export type RawToolResult = components['schemas']['RawToolResult'];
export type RecallMemoryHookCall = components['schemas']['RecallMemoryHookCall'];
export type RecallMemoryHookInput = components['schemas']['RecallMemoryHookInput'];
export type RecalledEntry = components['schemas']['RecalledEntry'];
export type RecordLevel = components['schemas']['RecordLevel'];
export type RecordedDelivery = components['schemas']['RecordedDelivery'];
export type RenderSkill = components['schemas']['RenderSkill'];
export type RenderedSkill = components['schemas']['RenderedSkill'];
export type RepairMode = components['schemas']['RepairMode'];
export type ReplayMode = components['schemas']['ReplayMode'];
export type ReplayRequest = components['schemas']['ReplayRequest'];
export type ReplayResponse = components['schemas']['ReplayResponse'];
export type Report = components['schemas']['Report'];
export type ReportNote = components['schemas']['ReportNote'];
export type RestoreSession = components['schemas']['RestoreSession'];
export type ResultLevel = components['schemas']['ResultLevel'];
export type RetrieveEvidenceHookCall = components['schemas']['RetrieveEvidenceHookCall'];
export type RetrieveEvidenceHookInput = components['schemas']['RetrieveEvidenceHookInput'];
export type RetrieveRequest = components['schemas']['RetrieveRequest'];
export type RetrievedOriginal = components['schemas']['RetrievedOriginal'];
export type ReviewVerdict = components['schemas']['ReviewVerdict'];
export type RotateSecret = components['schemas']['RotateSecret'];
export type RuleRequest = components['schemas']['RuleRequest'];
export type RuleValue = components['schemas']['RuleValue'];
export type RuleWarning = components['schemas']['RuleWarning'];
export type Session = components['schemas']['Session'];
export type SessionList = components['schemas']['SessionList'];
export type SessionSwitchHookCall = components['schemas']['SessionSwitchHookCall'];
export type SessionSwitchHookInput = components['schemas']['SessionSwitchHookInput'];
export type SessionSwitchedData = components['schemas']['SessionSwitchedData'];
export type SessionSwitchedEvent = components['schemas']['SessionSwitchedEvent'];
export type SessionTtl = components['schemas']['SessionTtl'];
export type SessionTurn = components['schemas']['SessionTurn'];
export type SessionUsage = components['schemas']['SessionUsage'];
export type SettingList = components['schemas']['SettingList'];
export type SettingRow = components['schemas']['SettingRow'];
export type SharedMemoryWriting = components['schemas']['SharedMemoryWriting'];
export type Skill = components['schemas']['Skill'];
export type SkillChoice = components['schemas']['SkillChoice'];
export type SkillDefinition = components['schemas']['SkillDefinition'];
export type SkillError = components['schemas']['SkillError'];
export type SkillInput = components['schemas']['SkillInput'];
export type SkillList = components['schemas']['SkillList'];
export type Snapshot = components['schemas']['Snapshot'];
export type SnapshotCalibration = components['schemas']['SnapshotCalibration'];
export type SnapshotList = components['schemas']['SnapshotList'];
export type SnapshotRow = components['schemas']['SnapshotRow'];
export type StageRow = components['schemas']['StageRow'];
export type StatePlacement = components['schemas']['StatePlacement'];
export type StreamGapData = components['schemas']['StreamGapData'];
export type StreamGapEvent = components['schemas']['StreamGapEvent'];
export type StreamOverflowData = components['schemas']['StreamOverflowData'];
export type StreamOverflowEvent = components['schemas']['StreamOverflowEvent'];
export type SummarizeHookCall = components['schemas']['SummarizeHookCall'];
export type SummarizeHookInput = components['schemas']['SummarizeHookInput'];
export type SwitchReason = components['schemas']['SwitchReason'];
export type SwitchSession = components['schemas']['SwitchSession'];
export type SystemSplitPlace = components['schemas']['SystemSplitPlace'];
export type TailPlacement = components['schemas']['TailPlacement'];
export type TakeSnapshot = components['schemas']['TakeSnapshot'];
export type TakenResult = components['schemas']['TakenResult'];
export type TestHook = components['schemas']['TestHook'];
export type TestNewHook = components['schemas']['TestNewHook'];
export type ThinkingPolicy = components['schemas']['ThinkingPolicy'];
export type Timeline = components['schemas']['Timeline'];
export type TimelineRow = components['schemas']['TimelineRow'];
export type TokenCalibration = components['schemas']['TokenCalibration'];
export type TokensRequest = components['schemas']['TokensRequest'];
export type TokensResponse = components['schemas']['TokensResponse'];
export type ToolCallHookCall = components['schemas']['ToolCallHookCall'];
export type ToolCallHookInput = components['schemas']['ToolCallHookInput'];
export type ToolCallResult = components['schemas']['ToolCallResult'];
export type ToolCallsRequest = components['schemas']['ToolCallsRequest'];
export type ToolCallsResponse = components['schemas']['ToolCallsResponse'];
export type ToolCost = components['schemas']['ToolCost'];
export type ToolDeniedData = components['schemas']['ToolDeniedData'];
export type ToolDeniedEvent = components['schemas']['ToolDeniedEvent'];
export type ToolGroup = components['schemas']['ToolGroup'];
export type ToolOptions = components['schemas']['ToolOptions'];
export type ToolPruning = components['schemas']['ToolPruning'];
export type ToolResultHookCall = components['schemas']['ToolResultHookCall'];
export type ToolResultHookInput = components['schemas']['ToolResultHookInput'];
export type ToolResultsRequest = components['schemas']['ToolResultsRequest'];
export type ToolResultsResponse = components['schemas']['ToolResultsResponse'];
export type ToolsInput = components['schemas']['ToolsInput'];
export type ToolsReport = components['schemas']['ToolsReport'];
export type TransformAction = components['schemas']['TransformAction'];
export type TransformAnswer = components['schemas']['TransformAnswer'];
export type TransformContextHookCall = components['schemas']['TransformContextHookCall'];
export type TransformContextHookInput = components['schemas']['TransformContextHookInput'];
export type TruncateOptions = components['schemas']['TruncateOptions'];
export type TurnPayload = components['schemas']['TurnPayload'];
export type TurnResponse = components['schemas']['TurnResponse'];
export type UsageCost = components['schemas']['UsageCost'];
export type UsageDurations = components['schemas']['UsageDurations'];
export type UsageList = components['schemas']['UsageList'];
export type UsageResponse = components['schemas']['UsageResponse'];
export type UsageRow = components['schemas']['UsageRow'];
export type VerifiedLog = components['schemas']['VerifiedLog'];
export type VerifiedLogs = components['schemas']['VerifiedLogs'];
export type WritePolicy = components['schemas']['WritePolicy'];
export type ResponseBodyTooLarge = components['responses']['BodyTooLarge'];
export type ResponseConflict = components['responses']['Conflict'];
export type ResponseInvalidRequest = components['responses']['InvalidRequest'];
export type ResponsePreconditionFailed = components['responses']['PreconditionFailed'];
export type ResponseRateLimited = components['responses']['RateLimited'];
export type ResponseUnavailable = components['responses']['Unavailable'];
export type $defs = Record<string, never>;
export interface operations {
    get_root: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page that needs nothing from elsewhere */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_adapters: {
        parameters: {
            query?: {
                /** @description Rows at once, 100 when absent */
                limit?: number;
                /** @description `next_cursor` of the answer before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some of them, and where the list goes on; the `ETag` names these rows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "diff",
                     *           "builtin": true,
                     *           "replaced": false
                     *         },
                     *         {
                     *           "name": "stack_trace",
                     *           "builtin": true,
                     *           "replaced": false
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AdapterList"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_adapter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description What requests and reports call it
                 * @example ledger
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The adapter; its version is the `ETag`, `"0"` for a built-in one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "ledger",
                     *       "builtin": false,
                     *       "definition": {
                     *         "detect": {
                     *           "min_lines": 3,
                     *           "line_matches": {
                     *             "1": ","
                     *           },
                     *           "min_share_of_lines": {
                     *             "regex": ",",
                     *             "share": 0.9
                     *           }
                     *         },
                     *         "keep": [
                     *           {
                     *             "lines": "1"
                     *           }
                     *         ],
                     *         "shrink": "rest",
                     *         "join": "{kept}\n[{summary}]"
                     *       },
                     *       "version": 1,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Adapter"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such adapter */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_adapter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description 1 to 64 letters, digits, `_`, `-` or `.`, a letter first
                 * @example ledger
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "detect": {
                 *         "min_lines": 3,
                 *         "line_matches": {
                 *           "1": ","
                 *         },
                 *         "min_share_of_lines": {
                 *           "regex": ",",
                 *           "share": 0.9
                 *         }
                 *       },
                 *       "keep": [
                 *         {
                 *           "lines": "1"
                 *         }
                 *       ],
                 *       "shrink": "rest",
                 *       "join": "{kept}\n[{summary}]"
                 *     }
                 */
                "application/json": components["schemas"]["AdapterDefinition"];
            };
        };
        responses: {
            /** @description It replaces the previous one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Adapter"];
                };
            };
            /** @description It is new */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "ledger",
                     *       "builtin": false,
                     *       "definition": {
                     *         "detect": {
                     *           "min_lines": 3,
                     *           "line_matches": {
                     *             "1": ","
                     *           },
                     *           "min_share_of_lines": {
                     *             "regex": ",",
                     *             "share": 0.9
                     *           }
                     *         },
                     *         "keep": [
                     *           {
                     *             "lines": "1"
                     *           }
                     *         ],
                     *         "shrink": "rest",
                     *         "join": "{kept}\n[{summary}]"
                     *       },
                     *       "version": 1,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Adapter"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The definition is not valid */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_adapter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description What requests and reports call it
                 * @example ledger
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description No adapter of this name is stored */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    test_adapter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description What requests and reports call it
                 * @example ledger
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "id,item,note\n1,lamp,paid in cash\n2,chair,paid in cash\n"
                 *     }
                 */
                "application/json": components["schemas"]["AdapterTestRequest"];
            };
        };
        responses: {
            /** @description What it makes of the text */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detects": true,
                     *       "text": "id,item,note\n1,lamp,paid in cash\n2,chair,paid in cash\n",
                     *       "changed": false,
                     *       "tokens_before": 21,
                     *       "tokens_after": 21,
                     *       "reverted": false,
                     *       "kept_lines": 1
                     *     }
                     */
                    "application/json": components["schemas"]["AdapterTest"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_artifact: {
        parameters: {
            query?: {
                /** @description With a body of `text/plain`: as in JSON */
                threshold?: number;
                /** @description With a body of `text/plain`: as in JSON */
                head_chars?: number;
                /** @description With a body of `text/plain`: as in JSON */
                tail_chars?: number;
            };
            header?: {
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "the build fails",
                 *       "threshold": 5000
                 *     }
                 */
                "application/json": components["schemas"]["OffloadRequest"];
            };
        };
        responses: {
            /** @description The text is too short to be stored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "offloaded": false,
                     *       "text": "the build fails"
                     *     }
                     */
                    "application/json": components["schemas"]["OffloadResponse"];
                };
            };
            /** @description The text is stored */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OffloadResponse"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    clean_up_artifacts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "max_age_seconds": 86400,
                 *       "max_count": 1000
                 *     }
                 */
                "application/json": components["schemas"]["ArtifactCleanupRequest"];
            };
        };
        responses: {
            /** @description What went */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "evicted": [],
                     *       "evicted_bytes": 0,
                     *       "evicted_by_age": 0,
                     *       "evicted_by_count": 0,
                     *       "evicted_by_bytes": 0,
                     *       "failed": []
                     *     }
                     */
                    "application/json": components["schemas"]["ArtifactCleanup"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_artifact: {
        parameters: {
            query?: {
                /** @description First and last line, counted from one: `10-20`, `10-`, `10` */
                lines?: string;
                /** @description Only lines that hold this text in any case, each as `number:line` */
                query?: string;
            };
            header?: {
                /** @description One range of bytes, such as `bytes=0-499` */
                Range?: string;
            };
            path: {
                /**
                 * @description 24 hex digits
                 * @example 574a963fe4c28cab63d90746
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description The range that was asked for */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description It is what `If-None-Match` names */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such artifact or part */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description 24 hex digits
                 * @example 574a963fe4c28cab63d90746
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such artifact */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_compilations: {
        parameters: {
            query?: {
                /** @description Rows at once, 100 when absent */
                limit?: number;
                /** @description `next_cursor` of the answer before */
                cursor?: string;
                /** @description Only compiles of this session */
                session_id?: string;
                /** @description Only compiles for this target */
                target?: "openai" | "openai_responses" | "anthropic" | "gemini" | "neutral";
                /** @description Only compiles for this model */
                model?: string;
                /** @description `compiled` or `refused` */
                status?: "compiled" | "refused";
                /** @description `hashes` or `full` */
                record?: "hashes" | "full";
                /** @description Only compiles with this payload */
                payload_hash?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some of them, and where the list goes on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "cmp_0199aa2b7c3d7e1f8a90b1c200000002",
                     *           "created_at": "2026-12-31T23:59:59Z",
                     *           "expires_at": "2026-12-31T23:59:59Z",
                     *           "session_id": null,
                     *           "target": "anthropic",
                     *           "model": "claude-sonnet-4-5",
                     *           "record": "full",
                     *           "status": "compiled",
                     *           "engine": "0.1.0+16",
                     *           "current": true,
                     *           "payload_hash": "1ad150573bec5b36a7612073bf445c94bbed40377aa53aa067b03d4359b339c8",
                     *           "tokens_before": 63,
                     *           "tokens_after": 63,
                     *           "fits": true
                     *         }
                     *       ],
                     *       "next_cursor": "b3BhcXVl"
                     *     }
                     */
                    "application/json": components["schemas"]["CompilationList"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compare_compilations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "a": "cmp_0199aa2b7c3d7e1f8a90b1c200000001",
                 *       "b": "cmp_0199aa2b7c3d7e1f8a90b1c200000002"
                 *     }
                 */
                "application/json": components["schemas"]["CompareRequest"];
            };
        };
        responses: {
            /** @description Where they parted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "a": {
                     *         "id": "cmp_0199aa2b7c3d7e1f8a90b1c200000001",
                     *         "created_at": "2026-12-31T23:59:59Z",
                     *         "expires_at": "2026-12-31T23:59:59Z",
                     *         "session_id": null,
                     *         "target": "anthropic",
                     *         "model": "claude-sonnet-4-5",
                     *         "record": "full",
                     *         "status": "compiled",
                     *         "engine": "0.1.0+16",
                     *         "current": true,
                     *         "payload_hash": "1ad150573bec5b36a7612073bf445c94bbed40377aa53aa067b03d4359b339c8",
                     *         "tokens_before": 63,
                     *         "tokens_after": 63,
                     *         "fits": true
                     *       },
                     *       "b": {
                     *         "id": "cmp_0199aa2b7c3d7e1f8a90b1c200000002",
                     *         "created_at": "2026-12-31T23:59:59Z",
                     *         "expires_at": "2026-12-31T23:59:59Z",
                     *         "session_id": null,
                     *         "target": "anthropic",
                     *         "model": "claude-sonnet-4-5",
                     *         "record": "full",
                     *         "status": "compiled",
                     *         "engine": "0.1.0+16",
                     *         "current": true,
                     *         "payload_hash": "1ad150573bec5b36a7612073bf445c94bbed40377aa53aa067b03d4359b339c8",
                     *         "tokens_before": 63,
                     *         "tokens_after": 63,
                     *         "fits": true
                     *       },
                     *       "status": "diverged",
                     *       "first_divergent_stage": "budget",
                     *       "root_stages": [
                     *         "budget",
                     *         "manifest"
                     *       ],
                     *       "stages": [
                     *         {
                     *           "stage": "ingest",
                     *           "input_equal": true,
                     *           "output_equal": true,
                     *           "changed_inputs": []
                     *         },
                     *         {
                     *           "stage": "intent",
                     *           "input_equal": true,
                     *           "output_equal": true,
                     *           "changed_inputs": []
                     *         }
                     *       ],
                     *       "diff": []
                     *     }
                     */
                    "application/json": components["schemas"]["CompareResponse"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_compilation: {
        parameters: {
            query?: {
                /** @description `full`: with `decisions`, and of a compile under a pack with `compiled_context` and `meta`. A record that does not have them is compiled again for it */
                explain?: string;
            };
            header?: never;
            path: {
                /** @description The `id` of a compile's answer */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "cmp_0199aa2b7c3d7e1f8a90b1c200000001",
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "expires_at": "2026-12-31T23:59:59Z",
                     *       "session_id": null,
                     *       "target": "anthropic",
                     *       "model": "claude-sonnet-4-5",
                     *       "record": "full",
                     *       "status": "compiled",
                     *       "engine": "0.1.0+16",
                     *       "current": true,
                     *       "payload_hash": "1ad150573bec5b36a7612073bf445c94bbed40377aa53aa067b03d4359b339c8",
                     *       "tokens_before": 63,
                     *       "tokens_after": 63,
                     *       "fits": true,
                     *       "stages": [
                     *         {
                     *           "stage": "ingest",
                     *           "input_hash": "db734bc681d50d093d9745fc07111c386c6e1e8bddaa0f5ae7d296cd578fc296",
                     *           "output_hash": "24a41aa4983af40551a7de0858aca873577e68178f82d8cd60070bf0d15df51a",
                     *           "input_parts": {
                     *             "request.messages": "9081861e3fbbdbdadae4fe767c0b8a5e8a2a2920307318aa83da9263ea8f6b1f",
                     *             "request.target": "8d328adf33a6cb602c8c8d2e3b43e33911c843f77a9d3a09b5e132abc6d63f44",
                     *             "request.tools": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
                     *           }
                     *         },
                     *         {
                     *           "stage": "intent",
                     *           "input_hash": "aa269495ff21704428ca9bbd37e9d1f39a30f41d00be1965fcf166ff5abcaa9c",
                     *           "output_hash": "bed7bc1243670d156b64ab5600e4cb37dedfaf61829aa06d64bc8fb54e3d512e",
                     *           "input_parts": {
                     *             "pack.intent_layer": "da2878405f29759edec15ba6762e06638d88fb715b6a12896b6a2614ca0319b5",
                     *             "request.intent": "d0f03813f39033c7358684b4806cffcec3904a726482906215b9fb3414fb2c09"
                     *           }
                     *         }
                     *       ],
                     *       "report": {
                     *         "summary": "63 → 63 tokens. 3 messages word for word, nothing dropped.",
                     *         "tokens_before": 63,
                     *         "tokens_after": 63,
                     *         "fits": true,
                     *         "budget": 123904,
                     *         "tokenizer": "o200k_base",
                     *         "exact": false,
                     *         "parts": {
                     *           "system": 11,
                     *           "skill": 0,
                     *           "tools": 0,
                     *           "memory": 0,
                     *           "history": 48,
                     *           "tail": 4,
                     *           "media": 0,
                     *           "reserve": 4096
                     *         },
                     *         "actions": {
                     *           "kept": 3,
                     *           "compressed": 0,
                     *           "deduplicated": 0,
                     *           "cleared": 0,
                     *           "summarized": 0,
                     *           "dropped": 0
                     *         },
                     *         "history_summary": null,
                     *         "cache": {
                     *           "stable_tokens": 59,
                     *           "breakpoints": [],
                     *           "first_change": null
                     *         },
                     *         "cost": {
                     *           "payload_micros": 189,
                     *           "output_micros": null,
                     *           "unshortened_micros": 189,
                     *           "saved_micros": 0,
                     *           "unique_saved_micros": 0,
                     *           "cache": {
                     *             "read_tokens": 0,
                     *             "write_tokens": 0,
                     *             "assumed": "cold"
                     *           }
                     *         },
                     *         "requires": null,
                     *         "unique_saved_tokens": 0,
                     *         "memory": {
                     *           "injected": [],
                     *           "expired": []
                     *         },
                     *         "skill": null,
                     *         "service_tools": [],
                     *         "hooks": [],
                     *         "degraded": [],
                     *         "repairs": [],
                     *         "warnings": [],
                     *         "too_big": []
                     *       },
                     *       "effects": {
                     *         "artifacts": [],
                     *         "memory_expired": []
                     *       },
                     *       "hooks": [],
                     *       "reported_cost": null,
                     *       "request": {
                     *         "target": "anthropic",
                     *         "model": "claude-sonnet-4-5",
                     *         "messages": [
                     *           {
                     *             "role": "system",
                     *             "content": "You are a careful assistant."
                     *           },
                     *           {
                     *             "role": "user",
                     *             "content": "Where does the build fail?"
                     *           },
                     *           {
                     *             "role": "assistant",
                     *             "content": null,
                     *             "tool_calls": [
                     *               {
                     *                 "id": "call_1",
                     *                 "type": "function",
                     *                 "function": {
                     *                   "name": "read_log",
                     *                   "arguments": "{\"lines\": 200}"
                     *                 }
                     *               }
                     *             ]
                     *           },
                     *           {
                     *             "role": "tool",
                     *             "tool_call_id": "call_1",
                     *             "content": "error[E0382]: use of moved value"
                     *           }
                     *         ],
                     *         "budget": {
                     *           "context_window": 128000,
                     *           "reserve_output": 4096
                     *         },
                     *         "record": "full"
                     *       },
                     *       "payload": {
                     *         "system": [
                     *           {
                     *             "type": "text",
                     *             "text": "You are a careful assistant."
                     *           }
                     *         ],
                     *         "messages": [
                     *           {
                     *             "role": "user",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Where does the build fail?"
                     *               }
                     *             ]
                     *           },
                     *           {
                     *             "role": "assistant",
                     *             "content": [
                     *               {
                     *                 "type": "tool_use",
                     *                 "id": "call_1",
                     *                 "name": "read_log",
                     *                 "input": {
                     *                   "lines": 200
                     *                 }
                     *               }
                     *             ]
                     *           },
                     *           {
                     *             "role": "user",
                     *             "content": [
                     *               {
                     *                 "type": "tool_result",
                     *                 "tool_use_id": "call_1",
                     *                 "content": "error[E0382]: use of moved value"
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CompilationRecord"];
                    "text/html": string;
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such record, or no longer */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replay_compilation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a compile's answer */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mode": "strict"
                 *     }
                 */
                "application/json": components["schemas"]["ReplayRequest"];
            };
        };
        responses: {
            /** @description The result of the replay */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "cmp_0199aa2b7c3d7e1f8a90b1c200000003",
                     *       "status": "equal",
                     *       "first_divergent_stage": null,
                     *       "root_stages": [],
                     *       "stages": [
                     *         {
                     *           "stage": "ingest",
                     *           "input_equal": true,
                     *           "output_equal": true,
                     *           "changed_inputs": []
                     *         },
                     *         {
                     *           "stage": "intent",
                     *           "input_equal": true,
                     *           "output_equal": true,
                     *           "changed_inputs": []
                     *         }
                     *       ],
                     *       "diff": [],
                     *       "payload": {
                     *         "messages": [
                     *           {
                     *             "content": "Where does the build fail?",
                     *             "role": "user"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReplayResponse"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description It cannot be run again */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compile: {
        parameters: {
            query?: {
                /** @description Under a pack: `full`, or `contextos-v1` for the members of the published schema alone */
                format?: "full" | "contextos-v1";
                /** @description Call no hook, store nothing, and list in the report what would be called */
                dry_run?: boolean;
            };
            header?: {
                /** @description Milliseconds that the compile may take, 10,000 when absent */
                "Contexture-Deadline-Ms"?: number;
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "target": "anthropic",
                 *       "model": "claude-sonnet-4-5",
                 *       "messages": [
                 *         {
                 *           "role": "system",
                 *           "content": "You are a careful assistant."
                 *         },
                 *         {
                 *           "role": "user",
                 *           "content": "Where does the build fail?"
                 *         },
                 *         {
                 *           "role": "assistant",
                 *           "content": null,
                 *           "tool_calls": [
                 *             {
                 *               "id": "call_1",
                 *               "type": "function",
                 *               "function": {
                 *                 "name": "read_log",
                 *                 "arguments": "{\"lines\": 200}"
                 *               }
                 *             }
                 *           ]
                 *         },
                 *         {
                 *           "role": "tool",
                 *           "tool_call_id": "call_1",
                 *           "content": "error[E0382]: use of moved value"
                 *         }
                 *       ],
                 *       "budget": {
                 *         "context_window": 128000,
                 *         "reserve_output": 4096
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CompileRequest"];
            };
        };
        responses: {
            /** @description The payload and its report */
            200: {
                headers: {
                    /** @description Milliseconds by kind of work */
                    "Server-Timing"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "cmp_0199aa2b7c3d7e1f8a90b1c200000001",
                     *       "payload": {
                     *         "system": [
                     *           {
                     *             "type": "text",
                     *             "text": "You are a careful assistant."
                     *           }
                     *         ],
                     *         "messages": [
                     *           {
                     *             "role": "user",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Where does the build fail?"
                     *               }
                     *             ]
                     *           },
                     *           {
                     *             "role": "assistant",
                     *             "content": [
                     *               {
                     *                 "type": "tool_use",
                     *                 "id": "call_1",
                     *                 "name": "read_log",
                     *                 "input": {
                     *                   "lines": 200
                     *                 }
                     *               }
                     *             ]
                     *           },
                     *           {
                     *             "role": "user",
                     *             "content": [
                     *               {
                     *                 "type": "tool_result",
                     *                 "tool_use_id": "call_1",
                     *                 "content": "error[E0382]: use of moved value"
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "report": {
                     *         "summary": "63 → 63 tokens. 3 messages word for word, nothing dropped.",
                     *         "tokens_before": 63,
                     *         "tokens_after": 63,
                     *         "fits": true,
                     *         "budget": 123904,
                     *         "tokenizer": "o200k_base",
                     *         "exact": false,
                     *         "parts": {
                     *           "system": 11,
                     *           "skill": 0,
                     *           "tools": 0,
                     *           "memory": 0,
                     *           "history": 48,
                     *           "tail": 4,
                     *           "media": 0,
                     *           "reserve": 4096
                     *         },
                     *         "actions": {
                     *           "kept": 3,
                     *           "compressed": 0,
                     *           "deduplicated": 0,
                     *           "cleared": 0,
                     *           "summarized": 0,
                     *           "dropped": 0
                     *         },
                     *         "history_summary": null,
                     *         "cache": {
                     *           "stable_tokens": 59,
                     *           "breakpoints": [],
                     *           "first_change": null
                     *         },
                     *         "cost": {
                     *           "payload_micros": 189,
                     *           "output_micros": null,
                     *           "unshortened_micros": 189,
                     *           "saved_micros": 0,
                     *           "unique_saved_micros": 0,
                     *           "cache": {
                     *             "read_tokens": 0,
                     *             "write_tokens": 0,
                     *             "assumed": "cold"
                     *           }
                     *         },
                     *         "requires": null,
                     *         "unique_saved_tokens": 0,
                     *         "memory": {
                     *           "injected": [],
                     *           "expired": []
                     *         },
                     *         "skill": null,
                     *         "service_tools": [],
                     *         "hooks": [],
                     *         "degraded": [],
                     *         "repairs": [],
                     *         "warnings": [],
                     *         "too_big": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Compilation"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "messages": [
                 *         {
                 *           "role": "user",
                 *           "content": "Where does the build fail?"
                 *         },
                 *         {
                 *           "role": "assistant",
                 *           "content": null,
                 *           "tool_calls": [
                 *             {
                 *               "id": "call_1",
                 *               "type": "function",
                 *               "function": {
                 *                 "name": "read_log",
                 *                 "arguments": "{\"lines\": 200}"
                 *               }
                 *             }
                 *           ]
                 *         },
                 *         {
                 *           "role": "tool",
                 *           "tool_call_id": "call_1",
                 *           "content": "1\tfn main() {\n2\t    run();\n3\t}\n4\t"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CompressRequest"];
            };
        };
        responses: {
            /** @description The shorter messages or text, and a report */
            200: {
                headers: {
                    /** @description Milliseconds by kind of work */
                    "Server-Timing"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "cpr_0199aa2b7c3d7e1f8a90b1c200000004",
                     *       "messages": [
                     *         {
                     *           "role": "user",
                     *           "content": "Where does the build fail?"
                     *         },
                     *         {
                     *           "role": "assistant",
                     *           "content": null,
                     *           "tool_calls": [
                     *             {
                     *               "id": "call_1",
                     *               "type": "function",
                     *               "function": {
                     *                 "name": "read_log",
                     *                 "arguments": "{\"lines\": 200}"
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         {
                     *           "role": "tool",
                     *           "tool_call_id": "call_1",
                     *           "content": "1\tfn main() {\n2\t    run();\n3\t}\n4\t"
                     *         }
                     *       ],
                     *       "report": {
                     *         "summary": "48 → 48 tokens. 3 messages word for word, nothing dropped.",
                     *         "tokens_before": 48,
                     *         "tokens_after": 48,
                     *         "fits": true,
                     *         "budget": 128000,
                     *         "tokenizer": "o200k_base",
                     *         "exact": true,
                     *         "parts": {
                     *           "system": 0,
                     *           "skill": 0,
                     *           "tools": 0,
                     *           "memory": 0,
                     *           "history": 48,
                     *           "tail": 0,
                     *           "media": 0,
                     *           "reserve": 0
                     *         },
                     *         "actions": {
                     *           "kept": 3,
                     *           "compressed": 0,
                     *           "deduplicated": 0,
                     *           "cleared": 0,
                     *           "summarized": 0,
                     *           "dropped": 0
                     *         },
                     *         "history_summary": null,
                     *         "cache": {
                     *           "stable_tokens": 0,
                     *           "breakpoints": [],
                     *           "first_change": null
                     *         },
                     *         "cost": null,
                     *         "requires": null,
                     *         "unique_saved_tokens": 0,
                     *         "memory": {
                     *           "injected": [],
                     *           "expired": []
                     *         },
                     *         "skill": null,
                     *         "service_tools": [],
                     *         "hooks": [],
                     *         "degraded": [],
                     *         "repairs": [],
                     *         "warnings": [],
                     *         "too_big": []
                     *       },
                     *       "artifacts": []
                     *     }
                     */
                    "application/json": components["schemas"]["CompressResponse"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_console_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who is signed in */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tenant": "default",
                     *       "key": "bootstrap",
                     *       "scopes": [
                     *         "compile",
                     *         "compress",
                     *         "memory:read",
                     *         "memory:write",
                     *         "sessions:read",
                     *         "sessions:write",
                     *         "tools",
                     *         "adapters:read",
                     *         "adapters:write",
                     *         "hooks:read",
                     *         "hooks:write",
                     *         "events:read",
                     *         "packs:read",
                     *         "packs:write",
                     *         "metrics:read",
                     *         "admin",
                     *         "operator"
                     *       ],
                     *       "csrf_token": null
                     *     }
                     */
                    "application/json": components["schemas"]["ConsoleSession"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_console_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who is signed in; the cookie is in `set-cookie` */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tenant": "default",
                     *       "key": "bootstrap",
                     *       "scopes": [
                     *         "compile",
                     *         "compress",
                     *         "memory:read",
                     *         "memory:write",
                     *         "sessions:read",
                     *         "sessions:write",
                     *         "tools",
                     *         "adapters:read",
                     *         "adapters:write",
                     *         "hooks:read",
                     *         "hooks:write",
                     *         "events:read",
                     *         "packs:read",
                     *         "packs:write",
                     *         "metrics:read",
                     *         "admin",
                     *         "operator"
                     *       ],
                     *       "csrf_token": "5f0c2b7e9d1a4c385f0c2b7e9d1a4c385f0c2b7e9d1a4c385f0c2b7e9d1a4c38"
                     *     }
                     */
                    "application/json": components["schemas"]["ConsoleSession"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_console_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No caller is signed in by the cookie */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_console_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The page's script or style
                 * @example console.js
                 */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
                };
            };
            /** @description No such file */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retry_delivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is queued */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such delivery, or it was delivered */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_docs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To `/docs/`, where the page's files are */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_docs_page: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page that needs nothing from elsewhere */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_guide: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To `/docs/guide/`, where the guide's files are */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_guide_page: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All pages of the guide */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_guide_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A page, or a script or style of the pages
                 * @example concepts.html
                 */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description No such file */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_docs_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A script, style or image of the page */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/css": string;
                };
            };
            /** @description No such file */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_events: {
        parameters: {
            query?: {
                /** @description The number after which to begin: 0 for the oldest that is kept; from now on when absent */
                after?: number;
                /**
                 * @description Only these types, with commas between them
                 * @example compile:done,memory:changed
                 */
                types?: string;
                /** @description Only events of this session */
                session_id?: string;
                /** @description `message`: without `event:`, so that a browser's `onmessage` gets all of them */
                as?: "message" | "event";
                /** @description `json`: a page */
                format?: "json" | "sse";
                /** @description With `format=json`: events of a page, 100 when absent */
                limit?: number;
                /** @description Of `POST /events/ticket`, in the place of a key */
                ticket?: string;
            };
            header?: {
                /** @description The number of the last event that was read; wins over `after` */
                "Last-Event-ID"?: number;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "seq": 1,
                     *           "type": "compile:start",
                     *           "at": "2026-12-31T23:59:59.000Z",
                     *           "session_id": null,
                     *           "compilation_id": "cmp_0199aa2b7c3d7e1f8a90b1c200000001",
                     *           "data": {
                     *             "target": "anthropic",
                     *             "model": "claude-sonnet-4-5",
                     *             "messages": 3
                     *           }
                     *         }
                     *       ],
                     *       "next_after": 1,
                     *       "has_more": true,
                     *       "gap": null
                     *     }
                     */
                    "application/json": components["schemas"]["EventList"];
                    "text/event-stream": components["schemas"]["EventRow"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_event_ticket: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ticket */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ticket": "cXJ6Vn0mR3lQ8yTqk2s1WbHd",
                     *       "expires_in_seconds": 30
                     *     }
                     */
                    "application/json": components["schemas"]["EventTicket"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    expand: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "§repeat 1 ×3\nwaiting for the lock"
                 *     }
                 */
                "application/json": components["schemas"]["ExpandRequest"];
            };
        };
        responses: {
            /** @description What stood there before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "text": "waiting for the lock\nwaiting for the lock\nwaiting for the lock",
                     *       "expanded": 1,
                     *       "unchanged": 0,
                     *       "missing": [],
                     *       "edited": [],
                     *       "identical": false
                     *     }
                     */
                    "application/json": components["schemas"]["ExpandedList"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_gateway_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "healthy",
                     *       "ready": true,
                     *       "version": "0.1.0"
                     *     }
                     */
                    "application/json": components["schemas"]["GatewayHealth"];
                };
            };
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It lives */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["HealthReport"];
                };
            };
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_hook_order: {
        parameters: {
            query?: {
                /** @description The order of this session; of all when absent */
                session_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The order; its revision is the `ETag` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "revision": 1,
                     *       "manifest": {
                     *         "points": {
                     *           "tool_result": [
                     *             "redact"
                     *           ]
                     *         }
                     *       },
                     *       "order": {
                     *         "tool_result": {
                     *           "transform": [
                     *             "redact"
                     *           ]
                     *         },
                     *         "transform_context": {
                     *           "guard": [
                     *             "no-secrets"
                     *           ]
                     *         }
                     *       },
                     *       "order_hash": "40bc8d45ea3c74c8396e0b1429b4cf17a66a4f93be1fec65de3c28cccc7c08e8",
                     *       "unknown_ids": [],
                     *       "changes": {}
                     *     }
                     */
                    "application/json": components["schemas"]["HookOrder"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_hook_order: {
        parameters: {
            query?: {
                /** @description The order of this session; of all when absent */
                session_id?: string;
            };
            header?: {
                /** @description The `ETag` that must be stored; `"0"` where none was ever given */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "points": {
                 *         "tool_result": [
                 *           "redact"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["HookOrderRequest"];
            };
        };
        responses: {
            /** @description The order as it is now, and how it changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "revision": 1,
                     *       "manifest": {
                     *         "points": {
                     *           "tool_result": [
                     *             "redact"
                     *           ]
                     *         }
                     *       },
                     *       "order": {
                     *         "tool_result": {
                     *           "transform": [
                     *             "redact"
                     *           ]
                     *         },
                     *         "transform_context": {
                     *           "guard": [
                     *             "no-secrets"
                     *           ]
                     *         }
                     *       },
                     *       "order_hash": "40bc8d45ea3c74c8396e0b1429b4cf17a66a4f93be1fec65de3c28cccc7c08e8",
                     *       "unknown_ids": [],
                     *       "changes": {
                     *         "tool_result": {
                     *           "added": [
                     *             "redact"
                     *           ],
                     *           "removed": [],
                     *           "reordered": []
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["HookOrder"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_hook_points: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All points */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "point": "before_compress",
                     *           "about": "before an over-long history shrinks; a guard that denies leaves it as it is",
                     *           "kinds": [
                     *             {
                     *               "kind": "guard",
                     *               "answer": "{\"decision\":\"allow\"} or {\"decision\":\"deny\",\"reason\":\"…\"}",
                     *               "timeout_ms": 3000,
                     *               "on_failure": "skip"
                     *             },
                     *             {
                     *               "kind": "transform",
                     *               "answer": "{\"action\":\"unchanged\"}, {\"action\":\"replace\",\"payload\":…}, {\"action\":\"merge_patch\",\"patch\":…} or {\"action\":\"json_patch\",\"patch\":[…]}",
                     *               "timeout_ms": 5000,
                     *               "on_failure": "skip"
                     *             },
                     *             {
                     *               "kind": "provide",
                     *               "answer": "null, {\"content\":\"…\",\"include\":\"summary_input\"|\"verbatim\"} or {\"fragments\":[{\"content\":\"…\"}]}",
                     *               "timeout_ms": 5000,
                     *               "on_failure": "skip"
                     *             },
                     *             {
                     *               "kind": "observe",
                     *               "answer": "ignored",
                     *               "timeout_ms": 2000,
                     *               "on_failure": "skip"
                     *             }
                     *           ],
                     *           "input": {
                     *             "history": "messages",
                     *             "system": "messages",
                     *             "tokens": "`{current, limit}` of the payload: its budget is the limit",
                     *             "history_tokens": "`{current, limit}` of the history: above its limit it shrinks",
                     *             "trigger": "why the history shrinks",
                     *             "to_compress": "`{from, to}`, the messages that are about to shrink"
                     *           },
                     *           "payload": "/history"
                     *         },
                     *         {
                     *           "point": "summarize",
                     *           "about": "writes the summary of the turns that leave the history",
                     *           "kinds": [
                     *             {
                     *               "kind": "provide",
                     *               "answer": "null or {\"content\":\"…\"}",
                     *               "timeout_ms": 5000,
                     *               "on_failure": "skip"
                     *             }
                     *           ],
                     *           "input": {
                     *             "messages": "messages to summarise, media and stubbed results as lines that name them",
                     *             "instructions": "what the caller asked the summary to keep, or null",
                     *             "material": "what hooks at `before_compress` gave for it, or null",
                     *             "max_tokens": "the most that the summary may take"
                     *           },
                     *           "payload": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["HookPoints"];
                };
            };
            429: components["responses"]["RateLimited"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_hooks: {
        parameters: {
            query?: {
                /**
                 * @description Only hooks at this point
                 * @example tool_result
                 */
                point?: "before_compress" | "summarize" | "after_compress" | "before_compile" | "transform_context" | "memory_update" | "memory_changed" | "memory_expired" | "delegation" | "session_switch" | "cache_expiring" | "tool_call" | "tool_result" | "compress_format" | "retrieve_evidence" | "recall_memory" | "event";
                /** @description Rows at once, 100 when absent */
                limit?: number;
                /** @description `next_cursor` of the answer before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some of them, and where the list goes on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "no-secrets",
                     *           "revision": 1,
                     *           "points": [
                     *             "transform_context"
                     *           ],
                     *           "kind": "guard",
                     *           "builtin": "secret_scan",
                     *           "config": {
                     *             "prefixes": [
                     *               "sk-ant-",
                     *               "sk-",
                     *               "ghp_",
                     *               "AIza"
                     *             ]
                     *           },
                     *           "enabled": true,
                     *           "mandatory": true,
                     *           "mode": "enforce",
                     *           "timeout_ms": 3000,
                     *           "on_failure": "deny",
                     *           "priority": 0,
                     *           "source": "api",
                     *           "circuit": "closed",
                     *           "queue": {
                     *             "queued": 0,
                     *             "lost": 0
                     *           },
                     *           "disabled_because": null,
                     *           "failing_since": null,
                     *           "created_at": "2026-12-31T23:59:59Z",
                     *           "updated_at": "2026-12-31T23:59:59Z"
                     *         },
                     *         {
                     *           "id": "redact",
                     *           "revision": 1,
                     *           "points": [
                     *             "tool_result"
                     *           ],
                     *           "kind": "transform",
                     *           "url": "http://127.0.0.1:9000/…",
                     *           "headers": [],
                     *           "enabled": true,
                     *           "mandatory": false,
                     *           "mode": "enforce",
                     *           "timeout_ms": 5000,
                     *           "on_failure": "fail",
                     *           "priority": 0,
                     *           "source": "api",
                     *           "circuit": "closed",
                     *           "queue": {
                     *             "queued": 0,
                     *             "lost": 0
                     *           },
                     *           "disabled_because": null,
                     *           "failing_since": null,
                     *           "created_at": "2026-12-31T23:59:59Z",
                     *           "updated_at": "2026-12-31T23:59:59Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["HookList"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_hook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, the stored response is replayed, without the secret, and registers no other hook */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "no-secrets",
                 *       "point": "transform_context",
                 *       "kind": "guard",
                 *       "builtin": "secret_scan"
                 *     }
                 */
                "application/json": components["schemas"]["HookRegistration"];
            };
        };
        responses: {
            /** @description The hook and, this once, its secret */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "no-secrets",
                     *       "revision": 1,
                     *       "points": [
                     *         "transform_context"
                     *       ],
                     *       "kind": "guard",
                     *       "builtin": "secret_scan",
                     *       "config": {
                     *         "prefixes": [
                     *           "sk-ant-",
                     *           "sk-",
                     *           "ghp_",
                     *           "AIza"
                     *         ]
                     *       },
                     *       "enabled": true,
                     *       "mandatory": true,
                     *       "mode": "enforce",
                     *       "timeout_ms": 3000,
                     *       "on_failure": "deny",
                     *       "priority": 0,
                     *       "source": "api",
                     *       "circuit": "closed",
                     *       "queue": {
                     *         "queued": 0,
                     *         "lost": 0
                     *       },
                     *       "disabled_because": null,
                     *       "failing_since": null,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["NewHook"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    test_new_hook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "hook": {
                 *         "point": "tool_result",
                 *         "kind": "transform",
                 *         "builtin": "redact",
                 *         "config": {
                 *           "patterns": [
                 *             "linking"
                 *           ]
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TestNewHook"];
            };
        };
        responses: {
            /** @description What was sent, what came back, and what it means */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "hook": "trial",
                     *       "point": "tool_result",
                     *       "kind": "transform",
                     *       "outcome": "applied",
                     *       "why": null,
                     *       "detail": null,
                     *       "effect": {
                     *         "payload": {
                     *           "content": "error: [REDACTED] with cc failed",
                     *           "is_error": true
                     *         }
                     *       },
                     *       "request": null,
                     *       "response": null,
                     *       "ms": 3,
                     *       "attempts": 3,
                     *       "secret": null
                     *     }
                     */
                    "application/json": components["schemas"]["HookTestResult"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_hook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The hook's id
                 * @example pii
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The hook; its revision is the `ETag` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "redact",
                     *       "revision": 1,
                     *       "points": [
                     *         "tool_result"
                     *       ],
                     *       "kind": "transform",
                     *       "url": "http://127.0.0.1:9000/…",
                     *       "headers": [],
                     *       "enabled": true,
                     *       "mandatory": false,
                     *       "mode": "enforce",
                     *       "timeout_ms": 5000,
                     *       "on_failure": "fail",
                     *       "priority": 0,
                     *       "source": "api",
                     *       "circuit": "closed",
                     *       "queue": {
                     *         "queued": 0,
                     *         "lost": 0
                     *       },
                     *       "disabled_because": null,
                     *       "failing_since": null,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["HookRow"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such hook */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_hook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that must be stored */
                "If-Match"?: string;
                /** @description Sent again within a day, the stored response is replayed, without the secret */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The hook's id
                 * @example pii
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "point": "tool_result",
                 *       "kind": "transform",
                 *       "url": "http://127.0.0.1:9000/hook",
                 *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
                 *     }
                 */
                "application/json": components["schemas"]["HookRegistration"];
            };
        };
        responses: {
            /** @description The hook as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewHook"];
                };
            };
            /** @description The new hook and, this once, its secret unless it was given */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "redact",
                     *       "revision": 1,
                     *       "points": [
                     *         "tool_result"
                     *       ],
                     *       "kind": "transform",
                     *       "url": "http://127.0.0.1:9000/…",
                     *       "headers": [],
                     *       "enabled": true,
                     *       "mandatory": false,
                     *       "mode": "enforce",
                     *       "timeout_ms": 5000,
                     *       "on_failure": "fail",
                     *       "priority": 0,
                     *       "source": "api",
                     *       "circuit": "closed",
                     *       "queue": {
                     *         "queued": 0,
                     *         "lost": 0
                     *       },
                     *       "disabled_because": null,
                     *       "failing_since": null,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["NewHook"];
                };
            };
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_hook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that must be stored */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The hook's id
                 * @example pii
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such hook */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_hook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that must be stored */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The hook's id
                 * @example pii
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "priority": 10
                 *     }
                 */
                "application/json": components["schemas"]["HookChange"];
            };
        };
        responses: {
            /** @description The hook as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "redact",
                     *       "revision": 2,
                     *       "points": [
                     *         "tool_result"
                     *       ],
                     *       "kind": "transform",
                     *       "url": "http://127.0.0.1:9000/…",
                     *       "headers": [],
                     *       "enabled": true,
                     *       "mandatory": false,
                     *       "mode": "enforce",
                     *       "timeout_ms": 5000,
                     *       "on_failure": "fail",
                     *       "priority": 10,
                     *       "source": "api",
                     *       "circuit": "closed",
                     *       "queue": {
                     *         "queued": 0,
                     *         "lost": 0
                     *       },
                     *       "disabled_because": null,
                     *       "failing_since": null,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["HookRow"];
                };
            };
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_hook_deliveries: {
        parameters: {
            query?: {
                /** @description `queued`, `delivered` or `dead` */
                state?: "queued" | "delivered" | "dead";
                /** @description Rows at once, 100 when absent */
                limit?: number;
                /** @description `next_cursor` of the answer before */
                cursor?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The hook's id
                 * @example pii
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some of them, and where the list goes on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such hook */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    diff_hook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The hook's id
                 * @example pii
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "point": "tool_result",
                 *       "kind": "transform",
                 *       "url": "http://127.0.0.1:9000/hook",
                 *       "timeout_ms": 800
                 *     }
                 */
                "application/json": components["schemas"]["HookRegistration"];
            };
        };
        responses: {
            /** @description What would change */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "revision": 2,
                     *       "changes": [
                     *         {
                     *           "op": "replace",
                     *           "path": "/timeout_ms",
                     *           "from": 5000,
                     *           "value": 800
                     *         },
                     *         {
                     *           "op": "replace",
                     *           "path": "/priority",
                     *           "from": 10,
                     *           "value": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["HookDiff"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotate_hook_secret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, the stored response is replayed, without the secret, and makes no other one */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The hook's id
                 * @example pii
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlap_seconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["RotateSecret"];
            };
        };
        responses: {
            /** @description The hook and, this once, its new secret */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "redact",
                     *       "revision": 3,
                     *       "points": [
                     *         "tool_result"
                     *       ],
                     *       "kind": "transform",
                     *       "url": "http://127.0.0.1:9000/…",
                     *       "headers": [],
                     *       "enabled": true,
                     *       "mandatory": false,
                     *       "mode": "enforce",
                     *       "timeout_ms": 5000,
                     *       "on_failure": "fail",
                     *       "priority": 10,
                     *       "source": "api",
                     *       "circuit": "closed",
                     *       "queue": {
                     *         "queued": 0,
                     *         "lost": 0
                     *       },
                     *       "disabled_because": null,
                     *       "failing_since": null,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z",
                     *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
                     *     }
                     */
                    "application/json": components["schemas"]["NewHook"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    test_hook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The hook's id
                 * @example pii
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "point": "transform_context"
                 *     }
                 */
                "application/json": components["schemas"]["TestHook"];
            };
        };
        responses: {
            /** @description What was sent, what came back, and what it means */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "hook": "no-secrets",
                     *       "point": "transform_context",
                     *       "kind": "guard",
                     *       "outcome": "allowed",
                     *       "why": null,
                     *       "detail": null,
                     *       "effect": null,
                     *       "request": null,
                     *       "response": null,
                     *       "ms": 3,
                     *       "attempts": 3,
                     *       "secret": null
                     *     }
                     */
                    "application/json": components["schemas"]["HookTestResult"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_inventory: {
        parameters: {
            query: {
                /**
                 * @description The session, of the API or of the gateway
                 * @example chat-17
                 */
                session_id: string;
                /** @description How many of the newest turns count, 20 when absent */
                turns?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is carried */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": 1,
                     *       "compilation_id": "cmp_0199aa2b7c3d7e1f8a90b1c200000009",
                     *       "tools": [],
                     *       "skills": [],
                     *       "memory": []
                     *     }
                     */
                    "application/json": components["schemas"]["Inventory"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such session */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_keys: {
        parameters: {
            query?: {
                /** @description Another tenant's; needs the scope `operator` */
                tenant?: string;
                /** @description Rows at once, 100 when absent */
                limit?: number;
                /** @description `next_cursor` of the answer before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some of them, and where the list goes on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "f3Zk09mQv7LcX2aT",
                     *           "tenant": "default",
                     *           "name": "support bot",
                     *           "kind": "agent",
                     *           "scopes": [
                     *             "compile",
                     *             "compress",
                     *             "memory:write"
                     *           ],
                     *           "roles": [
                     *             "capturer"
                     *           ],
                     *           "limits": {
                     *             "requests_per_minute": 60
                     *           },
                     *           "defaults": null,
                     *           "created_at": "2026-12-31T23:59:59Z",
                     *           "updated_at": "2026-12-31T23:59:59Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_key: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, the stored response is replayed, without the key's text, and makes no other key */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "support bot",
                 *       "kind": "agent",
                 *       "scopes": [
                 *         "compile",
                 *         "compress",
                 *         "memory:write"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateKey"];
            };
        };
        responses: {
            /** @description The key and, this once, its text */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "f3Zk09mQv7LcX2aT",
                     *       "tenant": "default",
                     *       "name": "support bot",
                     *       "kind": "agent",
                     *       "scopes": [
                     *         "compile",
                     *         "compress",
                     *         "memory:write"
                     *       ],
                     *       "roles": [
                     *         "capturer"
                     *       ],
                     *       "limits": {},
                     *       "defaults": null,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z",
                     *       "key": "cx_live_f3Zk09mQv7LcX2aT_<43 secret characters><6 of a check>"
                     *     }
                     */
                    "application/json": components["schemas"]["NewKey"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The key's id
                 * @example f3Zk09mQv7LcX2aT
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is revoked */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such key */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The key's id
                 * @example f3Zk09mQv7LcX2aT
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "limits": {
                 *         "requests_per_minute": 60
                 *       },
                 *       "defaults": null
                 *     }
                 */
                "application/json": components["schemas"]["ChangeKey"];
            };
        };
        responses: {
            /** @description The key as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "f3Zk09mQv7LcX2aT",
                     *       "tenant": "default",
                     *       "name": "support bot",
                     *       "kind": "agent",
                     *       "scopes": [
                     *         "compile",
                     *         "compress",
                     *         "memory:write"
                     *       ],
                     *       "roles": [
                     *         "capturer"
                     *       ],
                     *       "limits": {
                     *         "requests_per_minute": 60
                     *       },
                     *       "defaults": null,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    speak_mcp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "jsonrpc": "2.0",
                 *       "id": 1,
                 *       "method": "ping"
                 *     }
                 */
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jsonrpc": "2.0",
                     *       "id": 1,
                     *       "result": {}
                     *     }
                     */
                    "application/json": unknown;
                };
            };
            /** @description It asks for no answer */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Its headers and its members do not go together, or it responds to a request that was not sent */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_memory: {
        parameters: {
            query?: {
                /** @description Rows at once, 100 when absent; of lines all */
                limit?: number;
                /** @description `next_cursor` of the answer before */
                cursor?: string;
                /** @description Only entries of this subject */
                subject?: string;
                /** @description Only entries of this session */
                session_id?: string;
                /** @description Only entries of this agent */
                agent?: string;
                /** @description Only entries of this pack tenant */
                pack_tenant?: string;
                /** @description Only entries with this tag */
                tag?: string;
                /** @description Only entries of this tier */
                tier?: "durable" | "semantic" | "episodic" | "working";
                /** @description Only entries with this status */
                status?: "promoted" | "captured" | "superseded" | "retracted" | "deprecated";
                /** @description Only entries whose key begins so */
                prefix?: string;
                /** @description `json`, or `jsonl` for a line an entry */
                format?: "json" | "jsonl";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some of them, and where the list goes on */
            200: {
                headers: {
                    /** @description With lines and `limit`: where the list goes on */
                    "Contexture-Next-Cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "key": "language",
                     *           "value": "TypeScript",
                     *           "description": "The project's language",
                     *           "scope": {},
                     *           "tags": [
                     *             "project"
                     *           ],
                     *           "importance": 0.9,
                     *           "tier": "semantic",
                     *           "classification": "internal",
                     *           "status": "promoted",
                     *           "source": null,
                     *           "author": null,
                     *           "metadata": null,
                     *           "version": 2,
                     *           "update_count": 1,
                     *           "created_at": "2026-12-31T23:59:59Z",
                     *           "updated_at": "2026-12-31T23:59:59Z",
                     *           "ttl": {
                     *             "seconds": 2592000
                     *           },
                     *           "expires_at": "2026-12-31T23:59:59Z",
                     *           "expires_at_turn": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["MemoryList"];
                    "application/x-ndjson": string;
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    store_memory: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "add",
                 *       "type": "long_term",
                 *       "content": "Prefers short answers"
                 *     }
                 */
                "application/json": components["schemas"]["MemoryActRequest"];
            };
        };
        responses: {
            /** @description An entry was replaced or removed, or there was none to remove */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryActResponse"];
                };
            };
            /** @description An entry was added */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "action": "add",
                     *       "target": "long_term",
                     *       "memory_id": "mem_0199aa2b7c3d7e1f8a90b1c200000005",
                     *       "key": "mem_0199aa2b7c3d7e1f8a90b1c200000005",
                     *       "affected": 1,
                     *       "entry": {
                     *         "key": "mem_0199aa2b7c3d7e1f8a90b1c200000005",
                     *         "value": "Prefers short answers",
                     *         "description": null,
                     *         "scope": {},
                     *         "tags": [],
                     *         "importance": 0.5,
                     *         "tier": "durable",
                     *         "classification": "internal",
                     *         "status": "promoted",
                     *         "source": null,
                     *         "author": null,
                     *         "metadata": null,
                     *         "version": 1,
                     *         "update_count": 1,
                     *         "created_at": "2026-12-31T23:59:59Z",
                     *         "updated_at": "2026-12-31T23:59:59Z",
                     *         "ttl": null,
                     *         "expires_at": null,
                     *         "expires_at_turn": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MemoryActResponse"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_candidates: {
        parameters: {
            query?: {
                /** @description Rows at once, 100 when absent */
                limit?: number;
                /** @description `next_cursor` of the answer before */
                cursor?: string;
                /** @description Only candidates in this state */
                state?: "pending" | "in_review" | "duplicate" | "auto_rejected" | "rejected" | "approved" | "promoted" | "superseded";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some of them, and where the list goes on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "mcd_0199aa2b7c3d7e1f8a90b1c200000007",
                     *           "state": "in_review",
                     *           "version": 1,
                     *           "value": "email",
                     *           "entity": "ann",
                     *           "predicate": "preferred_contact",
                     *           "class": "preference",
                     *           "key": null,
                     *           "description": null,
                     *           "scope": {
                     *             "subject": "ann"
                     *           },
                     *           "tier": "semantic",
                     *           "classification": "internal",
                     *           "intents": [],
                     *           "confidence": 0.9,
                     *           "evidence_refs": null,
                     *           "consent": null,
                     *           "ttl": null,
                     *           "proposed_by": [
                     *             {
                     *               "id": "f3Zk09mQv7LcX2aT",
                     *               "kind": "agent"
                     *             }
                     *           ],
                     *           "checks": {
                     *             "contradiction_check": {
                     *               "verdict": "none"
                     *             },
                     *             "consent_check": "not_required",
                     *             "auto_promote_eligible": false
                     *           },
                     *           "capture": {
                     *             "id": "mcp_0199aa2b7c3d7e1f8a90b1c200000008",
                     *             "seq": 1,
                     *             "prev_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *             "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *           },
                     *           "review": null,
                     *           "fingerprint": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "last_event": 2,
                     *           "created_at": "2026-12-31T23:59:59Z",
                     *           "updated_at": "2026-12-31T23:59:59Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["CandidateList"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    propose_candidate: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `revises`: the candidate's `ETag` */
                "If-Match"?: string;
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "entity": "ann",
                 *       "predicate": "preferred_contact",
                 *       "value": "email",
                 *       "class": "preference",
                 *       "scope": {
                 *         "subject": "ann"
                 *       },
                 *       "confidence": 0.9,
                 *       "by": {
                 *         "id": "support-bot",
                 *         "kind": "agent"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CandidateProposal"];
            };
        };
        responses: {
            /** @description The candidate, revised */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Candidate"];
                };
            };
            /** @description A candidate, and where it stands */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mcd_0199aa2b7c3d7e1f8a90b1c200000007",
                     *       "state": "in_review",
                     *       "version": 1,
                     *       "value": "email",
                     *       "entity": "ann",
                     *       "predicate": "preferred_contact",
                     *       "class": "preference",
                     *       "key": null,
                     *       "description": null,
                     *       "scope": {
                     *         "subject": "ann"
                     *       },
                     *       "tier": "semantic",
                     *       "classification": "internal",
                     *       "intents": [],
                     *       "confidence": 0.9,
                     *       "evidence_refs": null,
                     *       "consent": null,
                     *       "ttl": null,
                     *       "proposed_by": [
                     *         {
                     *           "id": "f3Zk09mQv7LcX2aT",
                     *           "kind": "agent"
                     *         }
                     *       ],
                     *       "checks": {
                     *         "contradiction_check": {
                     *           "verdict": "none"
                     *         },
                     *         "consent_check": "not_required",
                     *         "auto_promote_eligible": false
                     *       },
                     *       "capture": {
                     *         "id": "mcp_0199aa2b7c3d7e1f8a90b1c200000008",
                     *         "seq": 1,
                     *         "prev_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *       },
                     *       "review": null,
                     *       "fingerprint": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "last_event": 2,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Candidate"];
                };
            };
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_candidate_events: {
        parameters: {
            query?: {
                /** @description Lines at once, 100 when absent */
                limit?: number;
                /** @description `next_cursor` of the answer before */
                cursor?: number;
                /** @description `1` to have both logs checked */
                verify?: "1" | "true" | "0" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some of the lines, and where the log goes on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "seq": 1,
                     *           "prev_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "event": {
                     *             "action": "propose",
                     *             "at": "2026-12-31T23:59:59Z",
                     *             "by": {
                     *               "id": "f3Zk09mQv7LcX2aT",
                     *               "kind": "agent"
                     *             },
                     *             "candidate": "mcd_0199aa2b7c3d7e1f8a90b1c200000007",
                     *             "data": {
                     *               "capture": 1
                     *             },
                     *             "seq": 1,
                     *             "to": "pending"
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": "b3BhcXVl"
                     *     }
                     */
                    "application/json": components["schemas"]["CandidateEvents"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_candidate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The candidate's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The candidate */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mcd_0199aa2b7c3d7e1f8a90b1c200000007",
                     *       "state": "in_review",
                     *       "version": 1,
                     *       "value": "email",
                     *       "entity": "ann",
                     *       "predicate": "preferred_contact",
                     *       "class": "preference",
                     *       "key": null,
                     *       "description": null,
                     *       "scope": {
                     *         "subject": "ann"
                     *       },
                     *       "tier": "semantic",
                     *       "classification": "internal",
                     *       "intents": [],
                     *       "confidence": 0.9,
                     *       "evidence_refs": null,
                     *       "consent": null,
                     *       "ttl": null,
                     *       "proposed_by": [
                     *         {
                     *           "id": "f3Zk09mQv7LcX2aT",
                     *           "kind": "agent"
                     *         }
                     *       ],
                     *       "checks": {
                     *         "contradiction_check": {
                     *           "verdict": "none"
                     *         },
                     *         "consent_check": "not_required",
                     *         "auto_promote_eligible": false
                     *       },
                     *       "capture": {
                     *         "id": "mcp_0199aa2b7c3d7e1f8a90b1c200000008",
                     *         "seq": 1,
                     *         "prev_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *       },
                     *       "review": null,
                     *       "fingerprint": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "last_event": 2,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Candidate"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such candidate */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_candidate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The candidate's `ETag` */
                "If-Match"?: string;
            };
            path: {
                /** @description The candidate's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such candidate */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    promote_candidate: {
        parameters: {
            query?: never;
            header: {
                /** @description The candidate's `ETag` */
                "If-Match": string;
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The candidate's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tier": "semantic",
                 *       "by": {
                 *         "id": "bob",
                 *         "kind": "user"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CandidatePromotion"];
            };
        };
        responses: {
            /** @description The candidate as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mcd_0199aa2b7c3d7e1f8a90b1c200000007",
                     *       "state": "promoted",
                     *       "version": 3,
                     *       "value": "email",
                     *       "entity": "ann",
                     *       "predicate": "preferred_contact",
                     *       "class": "preference",
                     *       "key": null,
                     *       "description": null,
                     *       "scope": {
                     *         "subject": "ann"
                     *       },
                     *       "tier": "semantic",
                     *       "classification": "internal",
                     *       "intents": [],
                     *       "confidence": 0.9,
                     *       "evidence_refs": null,
                     *       "consent": null,
                     *       "ttl": null,
                     *       "proposed_by": [
                     *         {
                     *           "id": "f3Zk09mQv7LcX2aT",
                     *           "kind": "agent"
                     *         }
                     *       ],
                     *       "checks": {
                     *         "contradiction_check": {
                     *           "verdict": "none"
                     *         },
                     *         "consent_check": "not_required",
                     *         "auto_promote_eligible": false
                     *       },
                     *       "capture": {
                     *         "id": "mcp_0199aa2b7c3d7e1f8a90b1c200000008",
                     *         "seq": 1,
                     *         "prev_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *       },
                     *       "review": {
                     *         "verdict": "approve",
                     *         "reason": "she said so twice",
                     *         "by": {
                     *           "id": "bootstrap",
                     *           "kind": "user"
                     *         }
                     *       },
                     *       "fingerprint": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "memory_key": "ann.preferred_contact",
                     *       "last_event": 4,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Candidate"];
                };
            };
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    review_candidate: {
        parameters: {
            query?: never;
            header: {
                /** @description The candidate's `ETag` */
                "If-Match": string;
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The candidate's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "verdict": "approve",
                 *       "reason": "she said so twice",
                 *       "by": {
                 *         "id": "bob",
                 *         "kind": "user"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CandidateReview"];
            };
        };
        responses: {
            /** @description The candidate as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mcd_0199aa2b7c3d7e1f8a90b1c200000007",
                     *       "state": "approved",
                     *       "version": 2,
                     *       "value": "email",
                     *       "entity": "ann",
                     *       "predicate": "preferred_contact",
                     *       "class": "preference",
                     *       "key": null,
                     *       "description": null,
                     *       "scope": {
                     *         "subject": "ann"
                     *       },
                     *       "tier": "semantic",
                     *       "classification": "internal",
                     *       "intents": [],
                     *       "confidence": 0.9,
                     *       "evidence_refs": null,
                     *       "consent": null,
                     *       "ttl": null,
                     *       "proposed_by": [
                     *         {
                     *           "id": "f3Zk09mQv7LcX2aT",
                     *           "kind": "agent"
                     *         }
                     *       ],
                     *       "checks": {
                     *         "contradiction_check": {
                     *           "verdict": "none"
                     *         },
                     *         "consent_check": "not_required",
                     *         "auto_promote_eligible": false
                     *       },
                     *       "capture": {
                     *         "id": "mcp_0199aa2b7c3d7e1f8a90b1c200000008",
                     *         "seq": 1,
                     *         "prev_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *       },
                     *       "review": {
                     *         "verdict": "approve",
                     *         "reason": "she said so twice",
                     *         "by": {
                     *           "id": "bootstrap",
                     *           "kind": "user"
                     *         }
                     *       },
                     *       "fingerprint": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "last_event": 3,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Candidate"];
                };
            };
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    import_memory: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description All of them are stored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryImportResponse"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description A line is not valid: a pointer begins with its number, from 0 */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    recall_memory: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "query": "Which language is the project in?",
                 *       "max_tokens": 500
                 *     }
                 */
                "application/json": components["schemas"]["MemoryRecallRequest"];
            };
        };
        responses: {
            /** @description The entries, best first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "shown": true,
                     *           "score": 0.5,
                     *           "relevance": 1,
                     *           "importance": 0.8,
                     *           "recency": 0.5,
                     *           "entry": {
                     *             "key": "language",
                     *             "value": "TypeScript",
                     *             "description": "The project's language",
                     *             "scope": {},
                     *             "tags": [
                     *               "project"
                     *             ],
                     *             "importance": 0.8,
                     *             "tier": "semantic",
                     *             "classification": "internal",
                     *             "status": "promoted",
                     *             "source": null,
                     *             "author": null,
                     *             "metadata": null,
                     *             "version": 3,
                     *             "update_count": 1,
                     *             "created_at": "2026-12-31T23:59:59Z",
                     *             "updated_at": "2026-12-31T23:59:59Z",
                     *             "ttl": {
                     *               "seconds": 2592000
                     *             },
                     *             "expires_at": "2026-12-31T23:59:59Z",
                     *             "expires_at_turn": null
                     *           }
                     *         },
                     *         {
                     *           "shown": true,
                     *           "score": 0.5,
                     *           "relevance": 0,
                     *           "importance": 0.5,
                     *           "recency": 0.5,
                     *           "entry": {
                     *             "key": "mem_0199aa2b7c3d7e1f8a90b1c200000005",
                     *             "value": "Prefers short answers",
                     *             "description": null,
                     *             "scope": {},
                     *             "tags": [],
                     *             "importance": 0.5,
                     *             "tier": "durable",
                     *             "classification": "internal",
                     *             "status": "promoted",
                     *             "source": null,
                     *             "author": null,
                     *             "metadata": null,
                     *             "version": 1,
                     *             "update_count": 1,
                     *             "created_at": "2026-12-31T23:59:59Z",
                     *             "updated_at": "2026-12-31T23:59:59Z",
                     *             "ttl": null,
                     *             "expires_at": null,
                     *             "expires_at_turn": null
                     *           }
                     *         }
                     *       ],
                     *       "tokens": 64,
                     *       "max_tokens": 500,
                     *       "store_revision": 4
                     *     }
                     */
                    "application/json": components["schemas"]["MemoryRecallResponse"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_memory: {
        parameters: {
            query?: {
                /** @description Its scope's subject */
                subject?: string;
                /** @description Its scope's session */
                session_id?: string;
                /** @description Its scope's agent */
                agent?: string;
                /** @description Its scope's pack tenant */
                pack_tenant?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The entry's key, percent-encoded
                 * @example language
                 */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entry */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "language",
                     *       "value": "TypeScript",
                     *       "description": "The project's language",
                     *       "scope": {},
                     *       "tags": [
                     *         "project"
                     *       ],
                     *       "importance": 0.8,
                     *       "tier": "semantic",
                     *       "classification": "internal",
                     *       "status": "promoted",
                     *       "source": null,
                     *       "author": null,
                     *       "metadata": null,
                     *       "version": 1,
                     *       "update_count": 1,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z",
                     *       "ttl": {
                     *         "seconds": 2592000
                     *       },
                     *       "expires_at": "2026-12-31T23:59:59Z",
                     *       "expires_at_turn": null
                     *     }
                     */
                    "application/json": components["schemas"]["MemoryEntry"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such entry */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_memory: {
        parameters: {
            query?: {
                /** @description Its scope's subject, where the body has no `scope` */
                subject?: string;
                /** @description Its scope's session, likewise */
                session_id?: string;
                /** @description Its scope's agent, likewise */
                agent?: string;
                /** @description Its scope's pack tenant, likewise */
                pack_tenant?: string;
            };
            header?: {
                /** @description The `ETag` that must be stored; `*` for any */
                "If-Match"?: string;
                /** @description `*`: only where no entry is stored */
                "If-None-Match"?: string;
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description 1 to 256 bytes, percent-encoded
                 * @example language
                 */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "value": "TypeScript",
                 *       "description": "The project's language",
                 *       "importance": 0.8,
                 *       "tags": [
                 *         "project"
                 *       ],
                 *       "ttl": {
                 *         "seconds": 2592000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MemoryWrite"];
            };
        };
        responses: {
            /** @description It is there with its new value */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryEntry"];
                };
            };
            /** @description It is new */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "language",
                     *       "value": "TypeScript",
                     *       "description": "The project's language",
                     *       "scope": {},
                     *       "tags": [
                     *         "project"
                     *       ],
                     *       "importance": 0.8,
                     *       "tier": "semantic",
                     *       "classification": "internal",
                     *       "status": "promoted",
                     *       "source": null,
                     *       "author": null,
                     *       "metadata": null,
                     *       "version": 1,
                     *       "update_count": 1,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z",
                     *       "ttl": {
                     *         "seconds": 2592000
                     *       },
                     *       "expires_at": "2026-12-31T23:59:59Z",
                     *       "expires_at_turn": null
                     *     }
                     */
                    "application/json": components["schemas"]["MemoryEntry"];
                };
            };
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_memory: {
        parameters: {
            query?: {
                /** @description Its scope's subject */
                subject?: string;
                /** @description Its scope's session */
                session_id?: string;
                /** @description Its scope's agent */
                agent?: string;
                /** @description Its scope's pack tenant */
                pack_tenant?: string;
            };
            header?: {
                /** @description The `ETag` that must be stored; `*` for any */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The entry's key, percent-encoded
                 * @example language
                 */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such entry */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patch_memory: {
        parameters: {
            query?: {
                /** @description Its scope's subject, where the body has no `scope` */
                subject?: string;
                /** @description Its scope's session, likewise */
                session_id?: string;
                /** @description Its scope's agent, likewise */
                agent?: string;
                /** @description Its scope's pack tenant, likewise */
                pack_tenant?: string;
            };
            header?: {
                /** @description The `ETag` that must be stored; `*` for any */
                "If-Match"?: string;
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The entry's key, percent-encoded
                 * @example language
                 */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "importance": 0.9
                 *     }
                 */
                "application/json": components["schemas"]["MemoryChange"];
            };
        };
        responses: {
            /** @description The entry as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "language",
                     *       "value": "TypeScript",
                     *       "description": "The project's language",
                     *       "scope": {},
                     *       "tags": [
                     *         "project"
                     *       ],
                     *       "importance": 0.9,
                     *       "tier": "semantic",
                     *       "classification": "internal",
                     *       "status": "promoted",
                     *       "source": null,
                     *       "author": null,
                     *       "metadata": null,
                     *       "version": 2,
                     *       "update_count": 1,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z",
                     *       "ttl": {
                     *         "seconds": 2592000
                     *       },
                     *       "expires_at": "2026-12-31T23:59:59Z",
                     *       "expires_at_turn": null
                     *     }
                     */
                    "application/json": components["schemas"]["MemoryEntry"];
                };
            };
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    promote_memory: {
        parameters: {
            query?: {
                /** @description Its scope's subject, if the body has no `scope` */
                subject?: string;
                /** @description Its scope's session, likewise */
                session_id?: string;
                /** @description Its scope's agent, likewise */
                agent?: string;
                /** @description Its scope's pack tenant, likewise */
                pack_tenant?: string;
            };
            header?: {
                /** @description A repeated request within a day returns the stored response and changes nothing */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The entry's key, percent-encoded
                 * @example language
                 */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["MemoryScopeRequest"];
            };
        };
        responses: {
            /** @description The entry as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "language",
                     *       "value": "TypeScript",
                     *       "description": "The project's language",
                     *       "scope": {},
                     *       "tags": [
                     *         "project"
                     *       ],
                     *       "importance": 0.8,
                     *       "tier": "semantic",
                     *       "classification": "internal",
                     *       "status": "promoted",
                     *       "source": null,
                     *       "author": null,
                     *       "metadata": null,
                     *       "version": 3,
                     *       "update_count": 1,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z",
                     *       "ttl": {
                     *         "seconds": 2592000
                     *       },
                     *       "expires_at": "2026-12-31T23:59:59Z",
                     *       "expires_at_turn": null
                     *     }
                     */
                    "application/json": components["schemas"]["MemoryEntry"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such entry, or it is not current */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    restore_memory: {
        parameters: {
            query?: {
                /** @description Its scope's subject, where the body has no `scope` */
                subject?: string;
                /** @description Its scope's session, likewise */
                session_id?: string;
                /** @description Its scope's agent, likewise */
                agent?: string;
                /** @description Its scope's pack tenant, likewise */
                pack_tenant?: string;
            };
            header?: {
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The entry's key, percent-encoded
                 * @example language
                 */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "version": 1
                 *     }
                 */
                "application/json": components["schemas"]["MemoryRestore"];
            };
        };
        responses: {
            /** @description The entry as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "language",
                     *       "value": "TypeScript",
                     *       "description": "The project's language",
                     *       "scope": {},
                     *       "tags": [
                     *         "project"
                     *       ],
                     *       "importance": 0.8,
                     *       "tier": "semantic",
                     *       "classification": "internal",
                     *       "status": "promoted",
                     *       "source": null,
                     *       "author": null,
                     *       "metadata": null,
                     *       "version": 3,
                     *       "update_count": 1,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z",
                     *       "ttl": {
                     *         "seconds": 2592000
                     *       },
                     *       "expires_at": "2026-12-31T23:59:59Z",
                     *       "expires_at_turn": null
                     *     }
                     */
                    "application/json": components["schemas"]["MemoryEntry"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such entry or version */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retract_memory: {
        parameters: {
            query?: {
                /** @description Its scope's subject, where the body has no `scope` */
                subject?: string;
                /** @description Its scope's session, likewise */
                session_id?: string;
                /** @description Its scope's agent, likewise */
                agent?: string;
                /** @description Its scope's pack tenant, likewise */
                pack_tenant?: string;
            };
            header?: {
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The entry's key, percent-encoded
                 * @example language
                 */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["MemoryScopeRequest"];
            };
        };
        responses: {
            /** @description The entry as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "language",
                     *       "value": "TypeScript",
                     *       "description": "The project's language",
                     *       "scope": {},
                     *       "tags": [
                     *         "project"
                     *       ],
                     *       "importance": 0.8,
                     *       "tier": "semantic",
                     *       "classification": "internal",
                     *       "status": "retracted",
                     *       "source": null,
                     *       "author": null,
                     *       "metadata": null,
                     *       "version": 4,
                     *       "update_count": 1,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z",
                     *       "ttl": {
                     *         "seconds": 2592000
                     *       },
                     *       "expires_at": "2026-12-31T23:59:59Z",
                     *       "expires_at_turn": null
                     *     }
                     */
                    "application/json": components["schemas"]["MemoryEntry"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such entry */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_memory_versions: {
        parameters: {
            query?: {
                /** @description Rows at once, 100 when absent */
                limit?: number;
                /** @description `next_cursor` of the answer before */
                cursor?: number;
                /** @description Its scope's subject */
                subject?: string;
                /** @description Its scope's session */
                session_id?: string;
                /** @description Its scope's agent */
                agent?: string;
                /** @description Its scope's pack tenant */
                pack_tenant?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The entry's key, percent-encoded
                 * @example language
                 */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its versions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "action": "set",
                     *           "origin": "direct",
                     *           "entry": {
                     *             "key": "language",
                     *             "value": "TypeScript",
                     *             "description": "The project's language",
                     *             "scope": {},
                     *             "tags": [
                     *               "project"
                     *             ],
                     *             "importance": 0.9,
                     *             "tier": "semantic",
                     *             "classification": "internal",
                     *             "status": "promoted",
                     *             "source": null,
                     *             "author": null,
                     *             "metadata": null,
                     *             "version": 2,
                     *             "update_count": 1,
                     *             "created_at": "2026-12-31T23:59:59Z",
                     *             "updated_at": "2026-12-31T23:59:59Z",
                     *             "ttl": {
                     *               "seconds": 2592000
                     *             },
                     *             "expires_at": "2026-12-31T23:59:59Z",
                     *             "expires_at_turn": null
                     *           }
                     *         },
                     *         {
                     *           "action": "set",
                     *           "origin": "direct",
                     *           "entry": {
                     *             "key": "language",
                     *             "value": "TypeScript",
                     *             "description": "The project's language",
                     *             "scope": {},
                     *             "tags": [
                     *               "project"
                     *             ],
                     *             "importance": 0.8,
                     *             "tier": "semantic",
                     *             "classification": "internal",
                     *             "status": "promoted",
                     *             "source": null,
                     *             "author": null,
                     *             "metadata": null,
                     *             "version": 1,
                     *             "update_count": 1,
                     *             "created_at": "2026-12-31T23:59:59Z",
                     *             "updated_at": "2026-12-31T23:59:59Z",
                     *             "ttl": {
                     *               "seconds": 2592000
                     *             },
                     *             "expires_at": "2026-12-31T23:59:59Z",
                     *             "expires_at_turn": null
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["MemoryVersions"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such entry */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Prometheus' text form */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            429: components["responses"]["RateLimited"];
            /** @description The caller may not */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_models: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The table */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "claude-3-5-haiku",
                     *           "family": "anthropic",
                     *           "context_window": 200000,
                     *           "max_output": 8192,
                     *           "tokenizer": "o200k_base",
                     *           "factor": 1.2,
                     *           "cache_marks": "blocks",
                     *           "min_cached_tokens": 2048,
                     *           "cache_lookback_blocks": 20,
                     *           "prefill": true,
                     *           "retired": "2026-02-19",
                     *           "source": "corrections",
                     *           "checked": "2026-11-27",
                     *           "page": "https://github.com/anthropics/skills/blob/main/skills/claude-api/shared/models.md"
                     *         },
                     *         {
                     *           "name": "claude-3-5-sonnet",
                     *           "family": "anthropic",
                     *           "context_window": 200000,
                     *           "max_output": 8192,
                     *           "tokenizer": "o200k_base",
                     *           "factor": 1.2,
                     *           "cache_marks": "blocks",
                     *           "cache_lookback_blocks": 20,
                     *           "prefill": true,
                     *           "retired": "2025-10-28",
                     *           "source": "corrections",
                     *           "checked": "2026-11-27",
                     *           "page": "https://github.com/anthropics/skills/blob/main/skills/claude-api/shared/models.md"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ModelList"];
                };
            };
            429: components["responses"]["RateLimited"];
            /** @description The caller may not */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_packs: {
        parameters: {
            query?: {
                /** @description Rows at once, 100 when absent */
                limit?: number;
                /** @description `next_cursor` of the answer before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some of them, and where the list goes on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "pack_ref": "min@1.0.0",
                     *           "id": "min",
                     *           "version": "1.0.0",
                     *           "digest": "sha256:2814d67a10cfc6f569c7385003f98e9ac708c25900dc1cc74ed7287afd84e43a",
                     *           "signed": false,
                     *           "created_at": "2026-12-31T23:59:59Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["PackList"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    publish_pack: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "contract_meta": {
                 *         "contract_name": "context-pack",
                 *         "contract_version": "2.0.0",
                 *         "issuer": "t",
                 *         "created_at": "2026-12-31T23:59:59Z",
                 *         "compatibility": {
                 *           "requires": {}
                 *         }
                 *       },
                 *       "pack_meta": {
                 *         "pack_id": "min",
                 *         "pack_version": "1.0.0",
                 *         "tenant": "tenant_min",
                 *         "environment_defaults": {},
                 *         "ttl_seconds": 0,
                 *         "data_classification": "CONFIDENTIAL"
                 *       },
                 *       "intelligence_refs": {
                 *         "ontology": {
                 *           "namespace": "n",
                 *           "version": "1.0.0",
                 *           "entity_types": [],
                 *           "relationship_types": []
                 *         },
                 *         "identity": {
                 *           "ceid_namespaces": []
                 *         }
                 *       },
                 *       "business_context": {
                 *         "summary": "Nothing.",
                 *         "non_negotiables": []
                 *       },
                 *       "policy_layer": {
                 *         "policy_bundles": [],
                 *         "approval_gates": [],
                 *         "guardrails": {
                 *           "must_refuse": [],
                 *           "must_escalate": [],
                 *           "redaction_rules": []
                 *         }
                 *       },
                 *       "tooling_layer": {
                 *         "adapter_registry": [],
                 *         "permissions": []
                 *       },
                 *       "decision_layer": {
                 *         "decision_specs": []
                 *       },
                 *       "memory_layer": {
                 *         "tiers": {
                 *           "working": {},
                 *           "episodic": {},
                 *           "semantic": {},
                 *           "durable": {}
                 *         },
                 *         "write_classes": [],
                 *         "consent_required": false,
                 *         "promotion": {
                 *           "min_confidence": 0.8,
                 *           "auto_promote_classes": []
                 *         }
                 *       },
                 *       "evaluation_layer": {
                 *         "eval_targets": []
                 *       },
                 *       "tone_and_comms": {},
                 *       "intent_layer": {
                 *         "catalog": [
                 *           {
                 *             "id": "x",
                 *             "intent_class": "c",
                 *             "task_id": "t"
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PackDocument"];
            };
        };
        responses: {
            /** @description It was published before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackPublished"];
                };
            };
            /** @description The version is published */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "pack_ref": "min@1.0.0",
                     *       "id": "min",
                     *       "version": "1.0.0",
                     *       "digest": "sha256:2814d67a10cfc6f569c7385003f98e9ac708c25900dc1cc74ed7287afd84e43a",
                     *       "signed": false,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["PackPublished"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The pack has faults, or its version is taken */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    diff_packs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "min@1.0.0",
                 *       "to": "min@1.0.0"
                 *     }
                 */
                "application/json": components["schemas"]["PackDiffRequest"];
            };
        };
        responses: {
            /** @description What has to be done to the one to make it the other, layer by layer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "equal": true,
                     *       "from": {
                     *         "pack_ref": "min@1.0.0",
                     *         "id": "min",
                     *         "version": "1.0.0",
                     *         "digest": "sha256:2814d67a10cfc6f569c7385003f98e9ac708c25900dc1cc74ed7287afd84e43a",
                     *         "signed": false,
                     *         "created_at": "2026-12-31T23:59:59Z"
                     *       },
                     *       "to": {
                     *         "pack_ref": "min@1.0.0",
                     *         "id": "min",
                     *         "version": "1.0.0",
                     *         "digest": "sha256:2814d67a10cfc6f569c7385003f98e9ac708c25900dc1cc74ed7287afd84e43a",
                     *         "signed": false,
                     *         "created_at": "2026-12-31T23:59:59Z"
                     *       },
                     *       "layers": []
                     *     }
                     */
                    "application/json": components["schemas"]["PackDiff"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description One of them is not published */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    lint_pack: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "contract_meta": {
                 *         "contract_name": "context-pack",
                 *         "contract_version": "2.0.0",
                 *         "issuer": "t",
                 *         "created_at": "2026-12-31T23:59:59Z",
                 *         "compatibility": {
                 *           "requires": {}
                 *         }
                 *       },
                 *       "pack_meta": {
                 *         "pack_id": "min",
                 *         "pack_version": "1.0.0",
                 *         "tenant": "tenant_min",
                 *         "environment_defaults": {},
                 *         "ttl_seconds": 0,
                 *         "data_classification": "CONFIDENTIAL"
                 *       },
                 *       "intelligence_refs": {
                 *         "ontology": {
                 *           "namespace": "n",
                 *           "version": "1.0.0",
                 *           "entity_types": [],
                 *           "relationship_types": []
                 *         },
                 *         "identity": {
                 *           "ceid_namespaces": []
                 *         }
                 *       },
                 *       "business_context": {
                 *         "summary": "Nothing.",
                 *         "non_negotiables": []
                 *       },
                 *       "policy_layer": {
                 *         "policy_bundles": [],
                 *         "approval_gates": [],
                 *         "guardrails": {
                 *           "must_refuse": [],
                 *           "must_escalate": [],
                 *           "redaction_rules": []
                 *         }
                 *       },
                 *       "tooling_layer": {
                 *         "adapter_registry": [],
                 *         "permissions": []
                 *       },
                 *       "decision_layer": {
                 *         "decision_specs": []
                 *       },
                 *       "memory_layer": {
                 *         "tiers": {
                 *           "working": {},
                 *           "episodic": {},
                 *           "semantic": {},
                 *           "durable": {}
                 *         },
                 *         "write_classes": [],
                 *         "consent_required": false,
                 *         "promotion": {
                 *           "min_confidence": 0.8,
                 *           "auto_promote_classes": []
                 *         }
                 *       },
                 *       "evaluation_layer": {
                 *         "eval_targets": []
                 *       },
                 *       "tone_and_comms": {},
                 *       "intent_layer": {
                 *         "catalog": [
                 *           {
                 *             "id": "x",
                 *             "intent_class": "c",
                 *             "task_id": "t"
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PackDocument"];
            };
        };
        responses: {
            /** @description What is wrong with it; `ok` is whether it may be published */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": true,
                     *       "faults": []
                     *     }
                     */
                    "application/json": components["schemas"]["PackLintResponse"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The body is no JSON object */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_pack_versions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The pack's id
                 * @example pack.dbops
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its versions, the newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "min",
                     *       "versions": [
                     *         {
                     *           "pack_ref": "min@1.0.0",
                     *           "id": "min",
                     *           "version": "1.0.0",
                     *           "digest": "sha256:2814d67a10cfc6f569c7385003f98e9ac708c25900dc1cc74ed7287afd84e43a",
                     *           "signed": false,
                     *           "created_at": "2026-12-31T23:59:59Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PackVersions"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description No such pack is published */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_pack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The pack's id
                 * @example pack.dbops
                 */
                id: string;
                /**
                 * @description Three numbers
                 * @example 1.4.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The version */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "pack_ref": "min@1.0.0",
                     *       "id": "min",
                     *       "version": "1.0.0",
                     *       "digest": "sha256:2814d67a10cfc6f569c7385003f98e9ac708c25900dc1cc74ed7287afd84e43a",
                     *       "signed": false,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "document": {
                     *         "contract_meta": {
                     *           "contract_name": "context-pack",
                     *           "contract_version": "2.0.0",
                     *           "issuer": "t",
                     *           "created_at": "2026-12-31T23:59:59Z",
                     *           "compatibility": {
                     *             "requires": {}
                     *           }
                     *         },
                     *         "pack_meta": {
                     *           "pack_id": "min",
                     *           "pack_version": "1.0.0",
                     *           "tenant": "tenant_min",
                     *           "environment_defaults": {},
                     *           "ttl_seconds": 0,
                     *           "data_classification": "CONFIDENTIAL"
                     *         },
                     *         "intelligence_refs": {
                     *           "ontology": {
                     *             "namespace": "n",
                     *             "version": "1.0.0",
                     *             "entity_types": [],
                     *             "relationship_types": []
                     *           },
                     *           "identity": {
                     *             "ceid_namespaces": []
                     *           }
                     *         },
                     *         "business_context": {
                     *           "summary": "Nothing.",
                     *           "non_negotiables": []
                     *         },
                     *         "policy_layer": {
                     *           "policy_bundles": [],
                     *           "approval_gates": [],
                     *           "guardrails": {
                     *             "must_refuse": [],
                     *             "must_escalate": [],
                     *             "redaction_rules": []
                     *           }
                     *         },
                     *         "tooling_layer": {
                     *           "adapter_registry": [],
                     *           "permissions": []
                     *         },
                     *         "decision_layer": {
                     *           "decision_specs": []
                     *         },
                     *         "memory_layer": {
                     *           "tiers": {
                     *             "working": {},
                     *             "episodic": {},
                     *             "semantic": {},
                     *             "durable": {}
                     *           },
                     *           "write_classes": [],
                     *           "consent_required": false,
                     *           "promotion": {
                     *             "min_confidence": 0.8,
                     *             "auto_promote_classes": []
                     *           }
                     *         },
                     *         "evaluation_layer": {
                     *           "eval_targets": []
                     *         },
                     *         "tone_and_comms": {},
                     *         "intent_layer": {
                     *           "catalog": [
                     *             {
                     *               "id": "x",
                     *               "intent_class": "c",
                     *               "task_id": "t"
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Pack"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description No such version is published */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_golden_set: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The pack's id
                 * @example pack.dbops
                 */
                id: string;
                /**
                 * @description Three numbers
                 * @example 1.4.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The set; empty where there is none */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "pack_ref": "min@1.0.0",
                     *       "items": []
                     *     }
                     */
                    "application/json": components["schemas"]["GoldenList"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description No such version is published */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_golden_set: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The pack's id
                 * @example pack.dbops
                 */
                id: string;
                /**
                 * @description Three numbers
                 * @example 1.4.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "compilations": []
                 *     }
                 */
                "application/json": components["schemas"]["GoldenRequest"];
            };
        };
        responses: {
            /** @description The set */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "pack_ref": "min@1.0.0",
                     *       "items": []
                     *     }
                     */
                    "application/json": components["schemas"]["GoldenList"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description A compile cannot be in the set */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    run_golden_set: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The pack's id
                 * @example pack.dbops
                 */
                id: string;
                /**
                 * @description Three numbers
                 * @example 1.4.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["GoldenRunRequest"];
            };
        };
        responses: {
            /** @description The result of each compile */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "pack_ref": "min@1.0.0",
                     *       "against": "min@1.0.0",
                     *       "status": "equal",
                     *       "equal": 0,
                     *       "diverged": 0,
                     *       "failed": 0,
                     *       "engine_changed": 0,
                     *       "cases": []
                     *     }
                     */
                    "application/json": components["schemas"]["GoldenRun"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description One of the versions is not published */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    evaluate_rule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rule": {
                 *         ">": [
                 *           {
                 *             "var": "request.context.amount"
                 *           },
                 *           500
                 *         ]
                 *       },
                 *       "data": {
                 *         "request": {
                 *           "context": {}
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RuleRequest"];
            };
        };
        responses: {
            /** @description The value of the rule */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "value": false,
                     *       "holds": false,
                     *       "indeterminate": {
                     *         "reason": "missing",
                     *         "path": "request.context.amount"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RuleValue"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The rule uses operators that there are not */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_problems: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/markdown": string;
                };
            };
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_problem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The end of a problem's `type`, such as `invalid-request` */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What it means and what to do */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/markdown": string;
                };
            };
            /** @description No such type */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_readiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send work */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["HealthReport"];
                };
            };
            /** @description Stopping */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_sessions: {
        parameters: {
            query?: {
                /** @description Rows at once, 100 when absent */
                limit?: number;
                /** @description `next_cursor` of the answer before */
                cursor?: string;
                /** @description Only sessions that go on from this one */
                parent_session_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some of them, and where the list goes on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "demo",
                     *           "version": 1,
                     *           "parent_session_id": null,
                     *           "defaults": {
                     *             "model": "gpt-4o"
                     *           },
                     *           "ttl": null,
                     *           "turns": 0,
                     *           "messages": 0,
                     *           "compaction_points": [],
                     *           "calibration": [],
                     *           "last_compilation_id": null,
                     *           "last_cost": null,
                     *           "created_at": "2026-12-31T23:59:59Z",
                     *           "updated_at": "2026-12-31T23:59:59Z",
                     *           "used_at": "2026-12-31T23:59:59Z",
                     *           "expires_at": "2026-12-31T23:59:59Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "id": "demo",
                 *       "defaults": {
                 *         "model": "gpt-4o"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateSession"];
            };
        };
        responses: {
            /** @description It was there, and is as it was */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description It is new */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "demo",
                     *       "version": 1,
                     *       "parent_session_id": null,
                     *       "defaults": {
                     *         "model": "gpt-4o"
                     *       },
                     *       "ttl": null,
                     *       "turns": 0,
                     *       "messages": 0,
                     *       "compaction_points": [],
                     *       "calibration": [],
                     *       "last_compilation_id": null,
                     *       "last_cost": null,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z",
                     *       "used_at": "2026-12-31T23:59:59Z",
                     *       "expires_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session's id, percent-encoded
                 * @example chat-17
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "demo",
                     *       "version": 1,
                     *       "parent_session_id": null,
                     *       "defaults": {
                     *         "model": "gpt-4o"
                     *       },
                     *       "ttl": null,
                     *       "turns": 0,
                     *       "messages": 0,
                     *       "compaction_points": [],
                     *       "calibration": [],
                     *       "last_compilation_id": null,
                     *       "last_cost": null,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z",
                     *       "used_at": "2026-12-31T23:59:59Z",
                     *       "expires_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such session */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that must be stored */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The session's id, percent-encoded
                 * @example chat-17
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such session */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that must be stored */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The session's id, percent-encoded
                 * @example chat-17
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "defaults": {
                 *         "model": "gpt-4o",
                 *         "repair": "lenient"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ChangeSession"];
            };
        };
        responses: {
            /** @description The session as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "demo",
                     *       "version": 2,
                     *       "parent_session_id": null,
                     *       "defaults": {
                     *         "model": "gpt-4o",
                     *         "repair": "lenient"
                     *       },
                     *       "ttl": null,
                     *       "turns": 0,
                     *       "messages": 0,
                     *       "compaction_points": [],
                     *       "calibration": [],
                     *       "last_compilation_id": null,
                     *       "last_cost": null,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z",
                     *       "used_at": "2026-12-31T23:59:59Z",
                     *       "expires_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    report_delegation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The session's id, percent-encoded
                 * @example chat-17
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent_name": "researcher",
                 *       "task": "Find the failing test",
                 *       "result": "tests/pay.rs",
                 *       "metadata": {
                 *         "handoff_depth": 1
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Delegation"];
            };
        };
        responses: {
            /** @description The event was published */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "del_0199aa2b7c3d7e1f8a90b1c20000000a",
                     *       "session_id": "demo",
                     *       "agent_name": "researcher",
                     *       "status": "success",
                     *       "path": "sync"
                     *     }
                     */
                    "application/json": components["schemas"]["DelegationReport"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    fork_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The session's id, percent-encoded
                 * @example chat-17
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "new_session_id": "chat-17-b"
                 *     }
                 */
                "application/json": components["schemas"]["ForkSession"];
            };
        };
        responses: {
            /** @description The new session */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "chat-17-b",
                     *       "version": 1,
                     *       "parent_session_id": "demo",
                     *       "defaults": {
                     *         "model": "gpt-4o",
                     *         "repair": "lenient"
                     *       },
                     *       "ttl": null,
                     *       "turns": 1,
                     *       "messages": 1,
                     *       "compaction_points": [],
                     *       "calibration": [
                     *         {
                     *           "model": "gpt-4o",
                     *           "factor": null,
                     *           "reports": 0
                     *         }
                     *       ],
                     *       "last_compilation_id": null,
                     *       "last_cost": null,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z",
                     *       "used_at": "2026-12-31T23:59:59Z",
                     *       "expires_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    restore_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session's id, percent-encoded
                 * @example chat-17
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "snapshot_id": "snap_0199aa2b7c3d7e1f8a90b1c20000000b"
                 *     }
                 */
                "application/json": components["schemas"]["RestoreSession"];
            };
        };
        responses: {
            /** @description The session as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "demo",
                     *       "version": 3,
                     *       "parent_session_id": null,
                     *       "defaults": {
                     *         "model": "gpt-4o",
                     *         "repair": "lenient"
                     *       },
                     *       "ttl": null,
                     *       "turns": 1,
                     *       "messages": 1,
                     *       "compaction_points": [],
                     *       "calibration": [
                     *         {
                     *           "model": "gpt-4o",
                     *           "factor": null,
                     *           "reports": 0
                     *         }
                     *       ],
                     *       "last_compilation_id": "cmp_0199aa2b7c3d7e1f8a90b1c200000009",
                     *       "last_cost": {
                     *         "payload_micros": 35,
                     *         "output_micros": 310,
                     *         "unshortened_micros": 35,
                     *         "saved_micros": 0,
                     *         "unique_saved_micros": 0,
                     *         "cache": {
                     *           "read_tokens": 0,
                     *           "write_tokens": 0,
                     *           "assumed": "reported"
                     *         }
                     *       },
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z",
                     *       "used_at": "2026-12-31T23:59:59Z",
                     *       "expires_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_snapshots: {
        parameters: {
            query?: {
                /** @description Rows at once, 100 when absent */
                limit?: number;
                /** @description `next_cursor` of the answer before */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The session's id, percent-encoded
                 * @example chat-17
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some of them, and where the list goes on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "snap_0199aa2b7c3d7e1f8a90b1c20000000b",
                     *           "session_id": "demo",
                     *           "label": "before the change",
                     *           "created_at": "2026-12-31T23:59:59Z",
                     *           "messages": 1
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SnapshotList"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    take_snapshot: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The session's id, percent-encoded
                 * @example chat-17
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "label": "before the change"
                 *     }
                 */
                "application/json": components["schemas"]["TakeSnapshot"];
            };
        };
        responses: {
            /** @description The snapshot, but for what it holds */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "snap_0199aa2b7c3d7e1f8a90b1c20000000b",
                     *       "session_id": "demo",
                     *       "label": "before the change",
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "messages": 1
                     *     }
                     */
                    "application/json": components["schemas"]["SnapshotRow"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    switch_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The session's id, percent-encoded
                 * @example chat-17
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "new_session_id": "chat-18",
                 *       "reset": true
                 *     }
                 */
                "application/json": components["schemas"]["SwitchSession"];
            };
        };
        responses: {
            /** @description The session to go on in, which was there */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The session to go on in, which is new */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "chat-18",
                     *       "version": 1,
                     *       "parent_session_id": "demo",
                     *       "defaults": {
                     *         "model": "gpt-4o",
                     *         "repair": "lenient"
                     *       },
                     *       "ttl": null,
                     *       "turns": 0,
                     *       "messages": 0,
                     *       "compaction_points": [],
                     *       "calibration": [],
                     *       "last_compilation_id": null,
                     *       "last_cost": null,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z",
                     *       "used_at": "2026-12-31T23:59:59Z",
                     *       "expires_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_session_timeline: {
        parameters: {
            query?: {
                /** @description Rows at once, 100 when absent */
                limit?: number;
                /** @description `next_cursor` of the answer before */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The session's id, percent-encoded
                 * @example chat-17
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some rows, and where the list goes on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "compilation_id": "cmp_0199aa2b7c3d7e1f8a90b1c200000009",
                     *           "created_at": "2026-12-31T23:59:59Z",
                     *           "model": "gpt-4o",
                     *           "record": "full",
                     *           "status": "compiled",
                     *           "current": true,
                     *           "tokens_before": 12,
                     *           "tokens_after": 12,
                     *           "fits": true,
                     *           "budget": 119808,
                     *           "parts": {
                     *             "system": 0,
                     *             "skill": 0,
                     *             "tools": 0,
                     *             "memory": 0,
                     *             "history": 9,
                     *             "tail": 3,
                     *             "media": 0,
                     *             "reserve": 8192
                     *           },
                     *           "actions": {
                     *             "kept": 1,
                     *             "compressed": 0,
                     *             "deduplicated": 0,
                     *             "cleared": 0,
                     *             "summarized": 0,
                     *             "dropped": 0
                     *           },
                     *           "stable_tokens": 9,
                     *           "unique_saved_tokens": 0,
                     *           "first_change": null,
                     *           "cost": {
                     *             "payload_micros": 35,
                     *             "output_micros": 310,
                     *             "unshortened_micros": 35,
                     *             "saved_micros": 0,
                     *             "unique_saved_micros": 0,
                     *             "cache": {
                     *               "read_tokens": 0,
                     *               "write_tokens": 0,
                     *               "assumed": "reported"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["Timeline"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such session */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    take_turn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
                /** @description Milliseconds that the turn may take, 10,000 when absent */
                "Contexture-Deadline-Ms"?: number;
            };
            path: {
                /**
                 * @description The session's id, percent-encoded
                 * @example chat-17
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "append": [
                 *         {
                 *           "role": "user",
                 *           "content": "Where does the build fail?"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SessionTurn"];
            };
        };
        responses: {
            /** @description The payload, its report, and the outcome of calls without a result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "cmp_0199aa2b7c3d7e1f8a90b1c200000009",
                     *       "payload": {
                     *         "messages": [
                     *           {
                     *             "content": "Where does the build fail?",
                     *             "role": "user"
                     *           }
                     *         ]
                     *       },
                     *       "report": {
                     *         "summary": "12 → 12 tokens. 1 message word for word, nothing dropped.",
                     *         "tokens_before": 12,
                     *         "tokens_after": 12,
                     *         "fits": true,
                     *         "budget": 119808,
                     *         "tokenizer": "o200k_base",
                     *         "exact": true,
                     *         "parts": {
                     *           "system": 0,
                     *           "skill": 0,
                     *           "tools": 0,
                     *           "memory": 0,
                     *           "history": 9,
                     *           "tail": 3,
                     *           "media": 0,
                     *           "reserve": 8192
                     *         },
                     *         "actions": {
                     *           "kept": 1,
                     *           "compressed": 0,
                     *           "deduplicated": 0,
                     *           "cleared": 0,
                     *           "summarized": 0,
                     *           "dropped": 0
                     *         },
                     *         "history_summary": null,
                     *         "cache": {
                     *           "stable_tokens": 9,
                     *           "breakpoints": [],
                     *           "first_change": null
                     *         },
                     *         "cost": {
                     *           "payload_micros": 30,
                     *           "output_micros": null,
                     *           "unshortened_micros": 30,
                     *           "saved_micros": 0,
                     *           "unique_saved_micros": 0,
                     *           "cache": {
                     *             "read_tokens": 0,
                     *             "write_tokens": 0,
                     *             "assumed": "cold"
                     *           }
                     *         },
                     *         "requires": null,
                     *         "unique_saved_tokens": 0,
                     *         "memory": {
                     *           "injected": [],
                     *           "expired": []
                     *         },
                     *         "skill": null,
                     *         "service_tools": [],
                     *         "hooks": [],
                     *         "degraded": [],
                     *         "repairs": [],
                     *         "warnings": [],
                     *         "too_big": []
                     *       },
                     *       "results": []
                     *     }
                     */
                    "application/json": components["schemas"]["TurnResponse"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    report_usage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session's id, percent-encoded
                 * @example chat-17
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "usage": {
                 *         "prompt_tokens": 14,
                 *         "completion_tokens": 31
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SessionUsage"];
            };
        };
        responses: {
            /** @description The session as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "demo",
                     *       "version": 2,
                     *       "parent_session_id": null,
                     *       "defaults": {
                     *         "model": "gpt-4o",
                     *         "repair": "lenient"
                     *       },
                     *       "ttl": null,
                     *       "turns": 1,
                     *       "messages": 1,
                     *       "compaction_points": [],
                     *       "calibration": [
                     *         {
                     *           "model": "gpt-4o",
                     *           "factor": null,
                     *           "reports": 0
                     *         }
                     *       ],
                     *       "last_compilation_id": "cmp_0199aa2b7c3d7e1f8a90b1c200000009",
                     *       "last_cost": {
                     *         "payload_micros": 35,
                     *         "output_micros": 310,
                     *         "unshortened_micros": 35,
                     *         "saved_micros": 0,
                     *         "unique_saved_micros": 0,
                     *         "cache": {
                     *           "read_tokens": 0,
                     *           "write_tokens": 0,
                     *           "assumed": "reported"
                     *         }
                     *       },
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z",
                     *       "used_at": "2026-12-31T23:59:59Z",
                     *       "expires_at": "2026-12-31T23:59:59Z",
                     *       "cost": {
                     *         "payload_micros": 35,
                     *         "output_micros": 310,
                     *         "unshortened_micros": 35,
                     *         "saved_micros": 0,
                     *         "unique_saved_micros": 0,
                     *         "cache": {
                     *           "read_tokens": 0,
                     *           "write_tokens": 0,
                     *           "assumed": "reported"
                     *         }
                     *       },
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["UsageResponse"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings, in the order of `contexture serve --help` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "flag": "listen",
                     *           "variable": "CONTEXTURE_LISTEN",
                     *           "section": "Server",
                     *           "value": "127.0.0.1:0",
                     *           "source": "flag",
                     *           "secret": false,
                     *           "about": "Address and port to listen on, or a port of 127.0.0.1; port 0 picks a free one and prints it"
                     *         },
                     *         {
                     *           "flag": "allow-anonymous",
                     *           "variable": "CONTEXTURE_ALLOW_ANONYMOUS",
                     *           "section": "Server",
                     *           "value": "false",
                     *           "source": "default",
                     *           "secret": false,
                     *           "about": "Serve callers without a key on an address that other machines can reach"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SettingList"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_skills: {
        parameters: {
            query?: {
                /** @description `json` (when absent), `plain` or `xml` */
                format?: "json" | "plain" | "xml";
                /** @description With a text: whether it says when to use them; true when absent */
                include_when_to_use?: boolean;
                /** @description With a text: characters that it may have */
                max_chars?: number;
                /** @description With JSON: rows at once, 100 when absent */
                limit?: number;
                /** @description With JSON: `next_cursor` of the answer before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The skills by name, stored ones before those of folders of the same name */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "review",
                     *           "description": "Reviews a change",
                     *           "source": "stored",
                     *           "version": 1,
                     *           "created_at": "2026-12-31T23:59:59Z",
                     *           "updated_at": "2026-12-31T23:59:59Z"
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "errors": []
                     *     }
                     */
                    "application/json": components["schemas"]["SkillList"];
                    "text/plain": string;
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_skill: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description What requests call it
                 * @example review
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The skill */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "review",
                     *       "description": "Reviews a change",
                     *       "instructions": "Look at $0 and say what is wrong.",
                     *       "source": "stored",
                     *       "version": 1,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Skill"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such skill */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_skill: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that must be stored */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description 1 to 128 letters, digits, `_`, `-`, `.` and `:`
                 * @example review
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Reviews a change",
                 *       "instructions": "Look at $0 and say what is wrong."
                 *     }
                 */
                "application/json": components["schemas"]["SkillDefinition"];
            };
        };
        responses: {
            /** @description It replaces the previous one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Skill"];
                };
            };
            /** @description It is new */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "review",
                     *       "description": "Reviews a change",
                     *       "instructions": "Look at $0 and say what is wrong.",
                     *       "source": "stored",
                     *       "version": 1,
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "updated_at": "2026-12-31T23:59:59Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Skill"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The skill is not valid */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_skill: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that must be stored */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description What requests call it
                 * @example review
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description No skill of this name is stored */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    render_skill: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description What requests call it
                 * @example review
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "args": "src/main.rs",
                 *       "vars": {
                 *         "BRANCH": "main"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RenderSkill"];
            };
        };
        responses: {
            /** @description The instructions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "review",
                     *       "instructions": "Look at src/main.rs and say what is wrong."
                     *     }
                     */
                    "application/json": components["schemas"]["RenderedSkill"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such skill */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_snapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The snapshot's id
                 * @example snap_0198c4f2
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The snapshot */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "format": "contexture-session/1",
                     *       "id": "snap_0199aa2b7c3d7e1f8a90b1c20000000b",
                     *       "session_id": "demo",
                     *       "label": "before the change",
                     *       "created_at": "2026-12-31T23:59:59Z",
                     *       "turns": 1,
                     *       "defaults": {
                     *         "model": "gpt-4o",
                     *         "repair": "lenient"
                     *       },
                     *       "compaction_points": [],
                     *       "calibration": [
                     *         {
                     *           "model": "gpt-4o",
                     *           "factor": null,
                     *           "reports": 0,
                     *           "tokens": 12
                     *         }
                     *       ],
                     *       "memory": [],
                     *       "has_captured": true,
                     *       "source": null,
                     *       "messages": [
                     *         {
                     *           "role": "user",
                     *           "content": "Where does the build fail?"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Snapshot"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description There is no such snapshot */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_gateway_stats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sums */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "requests": {
                     *         "total": 0,
                     *         "by_model": {}
                     *       },
                     *       "tokens": {
                     *         "input": 0,
                     *         "saved": 0,
                     *         "total_before_compression": 0,
                     *         "savings_percent": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["GatewayStats"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    count_tokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "How many tokens is this?",
                 *       "model": "gpt-4o"
                 *     }
                 */
                "application/json": components["schemas"]["TokensRequest"];
            };
        };
        responses: {
            /** @description The count */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tokens": 6,
                     *       "tokenizer": "o200k_base",
                     *       "exact": true
                     *     }
                     */
                    "application/json": components["schemas"]["TokensResponse"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    handle_calls: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, the stored response is replayed and nothing is done */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "calls": [
                 *         {
                 *           "id": "call_1",
                 *           "type": "function",
                 *           "function": {
                 *             "name": "create_memory",
                 *             "arguments": "{\"key\": \"language\", \"value\": \"TypeScript\"}"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ToolCallsRequest"];
            };
        };
        responses: {
            /** @description What becomes of each call, in their order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "id": "call_1",
                     *           "name": "create_memory",
                     *           "for": "service",
                     *           "decision": "deny",
                     *           "reason": "\"language\" is retracted and may not be written. Nothing was done.",
                     *           "message": {
                     *             "content": "\"language\" is retracted and may not be written. Nothing was done.",
                     *             "role": "tool",
                     *             "tool_call_id": "call_1"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ToolCallsResponse"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    take_results: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "results": [
                 *         {
                 *           "id": "call_1",
                 *           "name": "read_log",
                 *           "content": "…"
                 *         }
                 *       ],
                 *       "truncate": {
                 *         "threshold": 5000,
                 *         "tail_chars": 1000,
                 *         "store": true
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ToolResultsRequest"];
            };
        };
        responses: {
            /** @description The messages to append */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "messages": [
                     *         {
                     *           "content": "…",
                     *           "role": "tool",
                     *           "tool_call_id": "call_1"
                     *         }
                     *       ],
                     *       "results": [
                     *         {
                     *           "id": "call_1",
                     *           "name": "read_log",
                     *           "action": "kept",
                     *           "bytes_before": 3,
                     *           "bytes_after": 3
                     *         }
                     *       ],
                     *       "warnings": [],
                     *       "report": {
                     *         "summary": "9 → 9 tokens. 1 message word for word, nothing dropped.",
                     *         "tokens_before": 9,
                     *         "tokens_after": 9,
                     *         "fits": true,
                     *         "budget": 128000,
                     *         "tokenizer": "o200k_base",
                     *         "exact": true,
                     *         "parts": {
                     *           "system": 0,
                     *           "skill": 0,
                     *           "tools": 0,
                     *           "memory": 0,
                     *           "history": 9,
                     *           "tail": 0,
                     *           "media": 0,
                     *           "reserve": 0
                     *         },
                     *         "actions": {
                     *           "kept": 1,
                     *           "compressed": 0,
                     *           "deduplicated": 0,
                     *           "cleared": 0,
                     *           "summarized": 0,
                     *           "dropped": 0
                     *         },
                     *         "history_summary": null,
                     *         "cache": {
                     *           "stable_tokens": 0,
                     *           "breakpoints": [],
                     *           "first_change": null
                     *         },
                     *         "cost": null,
                     *         "requires": null,
                     *         "unique_saved_tokens": 0,
                     *         "memory": {
                     *           "injected": [],
                     *           "expired": []
                     *         },
                     *         "skill": null,
                     *         "service_tools": [],
                     *         "hooks": [],
                     *         "degraded": [],
                     *         "repairs": [],
                     *         "warnings": [],
                     *         "too_big": []
                     *       },
                     *       "artifacts": []
                     *     }
                     */
                    "application/json": components["schemas"]["ToolResultsResponse"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_usage: {
        parameters: {
            query?: {
                /** @description First day, such as `2026-12-31`; days are those of UTC */
                from?: string;
                /** @description Last day */
                to?: string;
                /** @description One key's; empty for callers without one */
                key?: string;
                /** @description One model's; empty for requests that named none */
                model?: string;
                /** @description `session`: a row for each session, day, key and model; `hour`: a row for each hour, key and model */
                by?: string;
                /** @description One session's rows */
                session_id?: string;
                /** @description Another tenant's; needs the scope `operator` */
                tenant?: string;
                /** @description Rows at once, 100 when absent */
                limit?: number;
                /** @description `next_cursor` of the answer before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some rows, and where the list goes on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "day": "2026-12-31",
                     *           "tenant": "default",
                     *           "key": "bootstrap",
                     *           "model": null,
                     *           "requests": 3,
                     *           "tokens_before": 69,
                     *           "tokens_after": 69,
                     *           "unique_saved_tokens": 0,
                     *           "cost": null
                     *         }
                     *       ],
                     *       "next_cursor": "b3BhcXVl",
                     *       "quotas": [
                     *         {
                     *           "quota": "sessions",
                     *           "used": 3,
                     *           "max": 100000
                     *         },
                     *         {
                     *           "quota": "turn_bytes",
                     *           "used": 54,
                     *           "max": 4294967296
                     *         },
                     *         {
                     *           "quota": "memory_entries",
                     *           "used": 3,
                     *           "max": 1000000
                     *         },
                     *         {
                     *           "quota": "candidates",
                     *           "used": 1,
                     *           "max": 100000
                     *         },
                     *         {
                     *           "quota": "skills",
                     *           "used": 1,
                     *           "max": 1000
                     *         },
                     *         {
                     *           "quota": "compilation_bytes",
                     *           "used": 25289,
                     *           "max": 4294967296
                     *         },
                     *         {
                     *           "quota": "reply_bytes",
                     *           "used": 0,
                     *           "max": 1073741824
                     *         }
                     *       ],
                     *       "durations": null
                     *     }
                     */
                    "application/json": components["schemas"]["UsageList"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description The request cannot be met */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compress_for_gateway: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `true`: the messages as they came
                 * @example true
                 */
                "x-headroom-bypass"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "messages": [
                 *         {
                 *           "role": "user",
                 *           "content": "Where does it fail?"
                 *         }
                 *       ],
                 *       "model": "gpt-4o"
                 *     }
                 */
                "application/json": components["schemas"]["GatewayRequest"];
            };
        };
        responses: {
            /** @description The messages, shorter or as they came */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "messages": [
                     *         {
                     *           "role": "user",
                     *           "content": "Where does it fail?"
                     *         }
                     *       ],
                     *       "tokens_before": 11,
                     *       "tokens_after": 11,
                     *       "tokens_saved": 0,
                     *       "compression_ratio": 1,
                     *       "transforms_applied": [],
                     *       "ccr_hashes": []
                     *     }
                     */
                    "application/json": components["schemas"]["GatewayResponse"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["RateLimited"];
            /** @description The caller is not known, or the body too large or not labelled as JSON */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retrieve_by_body: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "hash": "6a70eb49fa8d140fd8331276",
                 *       "query": "lock"
                 *     }
                 */
                "application/json": components["schemas"]["RetrieveRequest"];
            };
        };
        responses: {
            /** @description The original */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "hash": "6a70eb49fa8d140fd8331276",
                     *       "original_content": "1:waiting for the lock\n",
                     *       "original_tokens": 2404,
                     *       "original_item_count": 401,
                     *       "query": "lock"
                     *     }
                     */
                    "application/json": components["schemas"]["RetrievedOriginal"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            422: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description Nothing is stored under this hash */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retrieve_original: {
        parameters: {
            query?: {
                /** @description Only the lines that are about this */
                query?: string;
            };
            header?: never;
            path: {
                /**
                 * @description 24 hex digits
                 * @example 9f2c41d07be8a3556c1d90aa
                 */
                hash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The original */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "hash": "6a70eb49fa8d140fd8331276",
                     *       "original_content": "1:waiting for the lock\n",
                     *       "original_tokens": 2404,
                     *       "original_item_count": 401,
                     *       "query": "lock"
                     *     }
                     */
                    "application/json": components["schemas"]["RetrievedOriginal"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            /** @description Nothing is stored under this hash */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server could not do it */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    on_after_compress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AfterCompressHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_before_compile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BeforeCompileHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProvideAnswer"];
                };
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_before_compress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BeforeCompressHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GuardAnswer"] | components["schemas"]["TransformAnswer"] | components["schemas"]["ProvideAnswer"];
                };
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_cache_expiring: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CacheExpiringHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_compress_format: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompressFormatHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProvideAnswer"];
                };
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_delegation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DelegationHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_memory_changed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemoryChangedHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_memory_expired: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemoryExpiredHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_memory_update: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemoryUpdateHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GuardAnswer"] | components["schemas"]["TransformAnswer"];
                };
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_recall_memory: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecallMemoryHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProvideAnswer"];
                };
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_retrieve_evidence: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetrieveEvidenceHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProvideAnswer"];
                };
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_session_switch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionSwitchHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_summarize: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SummarizeHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProvideAnswer"];
                };
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_tool_call: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolCallHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GuardAnswer"] | components["schemas"]["TransformAnswer"];
                };
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_tool_result: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolResultHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransformAnswer"];
                };
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_transform_context: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransformContextHookCall"];
            };
        };
        responses: {
            /** @description What the hook decides, by its kind; that of observers is ignored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransformAnswer"] | components["schemas"]["GuardAnswer"];
                };
            };
            /** @description Nothing to change or to add */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Call this hook no more: it is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
