//! The routes of the API, one line for each path, and the middleware around them.

use axum::http::{Extensions, HeaderMap, StatusCode, Version, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::{Extension, Router};
use tower::ServiceBuilder;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate};
use tower_http::decompression::RequestDecompressionLayer;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::RequestBodyDeadlineLayer;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt as _};
use utoipa_axum::routes;

use super::auth::KeyCheck;
use super::document::{self, Document, RouteTable};
use super::gateway::Gateway;
use super::operations::DescriptionSource;
use super::state::AppState;
use super::{
    adapters, artifacts, auth, candidates, compat, compilations, compile, compress, console, cors,
    events, fallback, gateway, guide, hooks, inventory, keys, layer, mcp, memory, operations,
    origin, packs, pages, response_memory, sessions, settings, skills, tools, zstd_window,
};
use crate::config::{LimitsConfig, ServerConfig};

/// Builds the router: all routes within all middleware.
///
/// `limits` bounds the sizes and times of requests, `server` has the allowed hosts and origins,
/// `gateway` takes the requests for providers.
pub fn router(
    state: AppState,
    limits: &LimitsConfig,
    server: &ServerConfig,
    gateway: Option<Gateway>,
) -> Router {
    let names = gateway.as_ref().map(Gateway::upstream_names).unwrap_or_default();
    let state = state.naming_upstreams(names);
    let gateway = gateway.map(|gateway| gateway::router(gateway, &state, server));
    let (router, document) = routes().split_for_parts();
    let table = RouteTable::new(document);
    // The first layer is the outermost. Layers that refuse requests are inside of `edge`, which
    // gives every response its request id. The limits on time and on the bytes of the wire apply
    // before decompression, the limit on decoded bytes applies after it (`body`).
    let layers = ServiceBuilder::new()
        .layer(from_fn_with_state(gateway, gateway::divert))
        .layer(compression())
        .layer(from_fn_with_state(state.clone(), layer::edge))
        .layer(from_fn(origin::check_host))
        .layer(cors::allow(&server.cors_origin))
        .layer(CatchPanicLayer::custom(layer::respond_to_panic))
        .layer(from_fn_with_state(origin::Rules::new(state.clone(), server), origin::check))
        .layer(from_fn_with_state(table.clone(), layer::check_query))
        .layer(from_fn_with_state(KeyCheck { state: state.clone(), routes: table }, auth::check))
        .layer(from_fn_with_state(state.clone(), response_memory::hold))
        .layer(from_fn(layer::check_nul))
        .layer(from_fn(layer::check_encoding))
        .layer(from_fn(layer::check_hops))
        .layer(RequestBodyDeadlineLayer::new(limits.body_timeout()))
        .layer(RequestBodyLimitLayer::new(limits.max_body_bytes));
    router
        .fallback(fallback::not_found)
        .method_not_allowed_fallback(fallback::method_not_allowed)
        .layer(RequestDecompressionLayer::new())
        .layer(from_fn(zstd_window::check))
        .layer(layers)
        .with_state(state)
}

/// Returns the OpenAPI description of all routes.
pub fn openapi() -> OpenApi {
    document::complete(routes().into_openapi())
}

/// Compresses responses if the caller accepts that. Responses that support ranges are sent as they
/// are, because their `ETag` and ranges refer to the uncompressed bytes.
fn compression() -> CompressionLayer<impl Predicate> {
    let has_no_ranges = |_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions| {
        !headers.contains_key(header::ACCEPT_RANGES)
    };
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(DefaultPredicate::new().and(has_no_ranges))
}

fn routes() -> OpenApiRouter<AppState> {
    add_operations(add_resources(OpenApiRouter::with_openapi(Document::head())))
}

/// Adds the routes of compiles and of stored resources, such as memory, sessions and packs.
fn add_resources(router: OpenApiRouter<AppState>) -> OpenApiRouter<AppState> {
    router
        .routes(routes!(compile::compile_conversation))
        .routes(routes!(compile::count_tokens))
        .routes(routes!(compilations::list_compilations))
        .routes(routes!(compilations::compare_compilations))
        .routes(routes!(compilations::get_compilation))
        .routes(routes!(compilations::replay_compilation))
        .routes(routes!(compress::compress_messages))
        .routes(routes!(compress::expand_messages))
        .routes(routes!(artifacts::create_artifact))
        .routes(routes!(artifacts::get_artifact, artifacts::delete_artifact))
        .routes(routes!(artifacts::clean_up_artifacts))
        .routes(routes!(adapters::list_adapters))
        .routes(routes!(adapters::get_adapter, adapters::put_adapter, adapters::delete_adapter))
        .routes(routes!(adapters::test_adapter))
        .routes(routes!(memory::store_memory, memory::list_memory))
        .routes(routes!(memory::import_memory))
        .routes(routes!(memory::recall_memory))
        .routes(routes!(
            memory::put_memory,
            memory::get_memory,
            memory::patch_memory,
            memory::delete_memory
        ))
        .routes(routes!(memory::list_memory_versions))
        .routes(routes!(memory::restore_memory))
        .routes(routes!(memory::retract_memory))
        .routes(routes!(memory::promote_memory))
        .routes(routes!(candidates::propose_candidate, candidates::list_candidates))
        .routes(routes!(candidates::list_candidate_events))
        .routes(routes!(candidates::get_candidate, candidates::delete_candidate))
        .routes(routes!(candidates::review_candidate))
        .routes(routes!(candidates::promote_candidate))
        .routes(routes!(sessions::create_session, sessions::list_sessions))
        .routes(routes!(sessions::get_session, sessions::update_session, sessions::delete_session))
        .routes(routes!(sessions::take_turn))
        .routes(routes!(sessions::get_session_timeline))
        .routes(routes!(inventory::get_inventory))
        .routes(routes!(sessions::report_usage))
        .routes(routes!(packs::publish_pack, packs::list_packs))
        .routes(routes!(packs::lint_pack))
        .routes(routes!(packs::diff_packs))
        .routes(routes!(packs::list_pack_versions))
        .routes(routes!(packs::get_pack))
        .routes(routes!(packs::put_golden_set, packs::get_golden_set))
        .routes(routes!(packs::run_golden_set))
        .routes(routes!(packs::evaluate_rule))
        .routes(routes!(sessions::report_delegation))
        .routes(routes!(sessions::switch_session))
        .routes(routes!(sessions::fork_session))
        .routes(routes!(sessions::restore_session))
        .routes(routes!(sessions::take_snapshot, sessions::list_snapshots))
        .routes(routes!(sessions::get_snapshot))
}

/// Adds the routes of tools, hooks, skills, gateways, events, keys and the server itself.
fn add_operations(router: OpenApiRouter<AppState>) -> OpenApiRouter<AppState> {
    router
        .routes(routes!(tools::handle_calls))
        .routes(routes!(tools::take_results))
        .routes(routes!(mcp::speak))
        .routes(routes!(hooks::create_hook, hooks::list_hooks))
        .routes(routes!(hooks::get_hook, hooks::put_hook, hooks::update_hook, hooks::delete_hook))
        .routes(routes!(hooks::diff_hook))
        .routes(routes!(hooks::rotate_hook_secret))
        .routes(routes!(hooks::test_new_hook))
        .routes(routes!(hooks::test_hook))
        .routes(routes!(hooks::list_hook_deliveries))
        .routes(routes!(hooks::retry_delivery))
        .routes(routes!(hooks::list_hook_points))
        .routes(routes!(hooks::get_hook_order, hooks::put_hook_order))
        .routes(routes!(skills::get_skills))
        .routes(routes!(skills::get_skill, skills::put_skill, skills::delete_skill))
        .routes(routes!(skills::render))
        .routes(routes!(compat::compress_for_gateway))
        .routes(routes!(compat::retrieve_original))
        .routes(routes!(compat::retrieve_by_body))
        .routes(routes!(compat::get_gateway_health))
        .routes(routes!(compat::get_gateway_stats))
        .routes(routes!(events::read_events))
        .routes(routes!(events::create_event_ticket))
        .routes(routes!(keys::list_keys, keys::create_key))
        .routes(routes!(keys::update_key, keys::delete_key))
        .routes(routes!(keys::list_usage))
        .routes(routes!(settings::list_settings))
        .routes(routes!(operations::list_models))
        .routes(routes!(operations::get_health))
        .routes(routes!(operations::get_readiness))
        .routes(routes!(operations::get_metrics))
        .routes(routes!(operations::get_openapi).layer(Extension(DescriptionSource::new(openapi))))
        .routes(routes!(console::get_root))
        .routes(routes!(console::get_console_file))
        .routes(routes!(
            console::create_console_session,
            console::get_console_session,
            console::delete_console_session
        ))
        .routes(routes!(operations::get_docs))
        .routes(routes!(operations::get_docs_page))
        .routes(routes!(operations::get_docs_file))
        .routes(routes!(guide::get_guide))
        .routes(routes!(guide::get_guide_page))
        .routes(routes!(guide::get_guide_file))
        .routes(routes!(pages::list_problems))
        .routes(routes!(pages::get_problem))
}
