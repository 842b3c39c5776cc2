//! `/skills`: instructions under names.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::answer::{if_match, tagged, written};
use super::body::{self, Media, Received};
use super::enum_values::SKILL_LIST_FORMATS;
use super::job::{visit, work};
use super::problem::{Kind, Problem};
use super::query::{Query, decode_path, encode_cursor, name_of};
use super::schema::{RenderSkill, RenderedSkill, Skill, SkillDefinition, SkillError, SkillList};
use super::state::AppState;
use crate::domain::list_skills;
use crate::service::skills::{self, FoundSkill};

/// List the skills
///
/// As JSON, or as a text for a model to choose from.
#[utoipa::path(
    get,
    path = "/skills",
    tag = "skills",
    operation_id = "list_skills",
    params(
        ("format" = Option<String>, Query, description = "`json` (when absent), `plain` or `xml`"),
        ("include_when_to_use" = Option<bool>, Query, description = "With a text: whether it says when to use them; true when absent"),
        ("max_chars" = Option<u64>, Query, description = "With a text: characters that it may have"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "With JSON: rows at once, 100 when absent"),
        ("cursor" = Option<String>, Query, description = "With JSON: `next_cursor` of the answer before"),
    ),
    responses((status = OK, description = "The skills by name, stored ones before those of folders of the same name", content((SkillList = "application/json"), (String = "text/plain")))),
)]
pub(super) async fn get_skills(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let known = &["format", "include_when_to_use", "max_chars", "limit", "cursor"];
    let query = Query::of(request.uri(), known)?;
    let format = query.choice("format", SKILL_LIST_FORMATS)?.flatten();
    let with_when = query.choice("include_when_to_use", &[("true", true), ("false", false)])?;
    let most = query.whole("max_chars")?.map(|most| usize::try_from(most).unwrap_or(usize::MAX));
    let (limit, after) = (query.limit()?, query.cursor()?);
    let received = Received::nothing(&state, &request)?;
    let (found, errors) = visit(&state, received, |services, _| {
        Ok((skills::all(services)?, skills::errors(services).to_vec()))
    })
    .await?;
    if let Some(format) = format {
        const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
        let list = found.iter().map(|found| &found.skill);
        let text = list_skills(list, format, with_when.unwrap_or(true), most);
        return Ok(([(header::CONTENT_TYPE, TEXT)], text).into_response());
    }
    let behind =
        |found: &&FoundSkill| after.as_deref().is_none_or(|after| *found.skill.name > *after);
    let rows: Vec<&FoundSkill> = found.iter().filter(behind).take(limit + 1).collect();
    let goes_on = rows.len() > limit;
    let items: Vec<Skill> = rows.into_iter().take(limit).map(Skill::row).collect();
    let next_cursor = items.last().filter(|_| goes_on).map(|last| encode_cursor(&last.name));
    let errors = errors.iter().map(SkillError::from).collect();
    Ok(written(&SkillList { items, next_cursor, errors }))
}

/// Read a skill
#[utoipa::path(
    get,
    path = "/skills/{name}",
    tag = "skills",
    operation_id = "get_skill",
    params(("name" = String, Path, description = "What requests call it", example = "review")),
    responses(
        (status = OK, description = "The skill", body = Skill),
        (status = "4XX", description = "There is no such skill"),
    ),
)]
pub(super) async fn get_skill(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let name = skill_name(&request)?;
    let received = Received::nothing(&state, &request)?;
    let find = visit(&state, received, move |services, _| Ok(skills::find(services, &name)?));
    Ok(shown(&find.await?.ok_or_else(unknown)?))
}

/// Store a skill
///
/// The body is its members as JSON, or a `SKILL.md` as `text/plain`. Under the name of one of a
/// folder it stands in its place.
#[utoipa::path(
    put,
    path = "/skills/{name}",
    tag = "skills",
    operation_id = "put_skill",
    params(
        ("name" = String, Path, description = "1 to 128 letters, digits, `_`, `-`, `.` and `:`", example = "review"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` that must be stored"),
    ),
    request_body = SkillDefinition,
    responses(
        (status = CREATED, description = "It is new", body = Skill),
        (status = OK, description = "It stands in the place of the one before", body = Skill),
        (status = "4XX", description = "The skill is not valid"),
    ),
)]
pub(super) async fn put_skill(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let name = skill_name(&request)?;
    let if_match = if_match(request.headers())?;
    let (received, media) = body::read_any(&state, request).await?;
    let put = visit(&state, received, move |services, text| {
        skills::put(services, &name, text, media == Media::Text, if_match)
    });
    let (found, is_new) = put.await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, shown(&found)).into_response())
}

/// Delete a skill
///
/// One of a folder of the same name is back from then on.
#[utoipa::path(
    delete,
    path = "/skills/{name}",
    tag = "skills",
    operation_id = "delete_skill",
    params(
        ("name" = String, Path, description = "What requests call it", example = "review"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` that must be stored"),
    ),
    responses(
        (status = NO_CONTENT, description = "It is gone"),
        (status = "4XX", description = "No skill of this name is stored"),
    ),
)]
pub(super) async fn delete_skill(
    State(state): State<AppState>,
    request: Request,
) -> Result<StatusCode, Problem> {
    let name = skill_name(&request)?;
    let if_match = if_match(request.headers())?;
    let received = Received::nothing(&state, &request)?;
    visit(&state, received, move |services, _| skills::delete(services, &name, if_match)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Render a skill
///
/// Its instructions as a compile would place them, with what is given put in: `${NAME}` from
/// `vars`; `$name`, `$0`, `$ARGUMENTS[0]` and `$ARGUMENTS` from `args`.
#[utoipa::path(
    post,
    path = "/skills/{name}/render",
    tag = "skills",
    operation_id = "render_skill",
    params(("name" = String, Path, description = "What requests call it", example = "review")),
    request_body = RenderSkill,
    responses(
        (status = OK, description = "The instructions", body = RenderedSkill),
        (status = "4XX", description = "There is no such skill"),
    ),
)]
pub(super) async fn render(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let name = skill_name(&request)?;
    let received = body::read(&state, request).await?;
    let render =
        work(&state, received, move |services, text| skills::render(services, &name, text));
    let (skill, instructions) = render.await?;
    Ok(written(&RenderedSkill { name: skill.name.to_string(), instructions }))
}

fn skill_name(request: &Request) -> Result<String, Problem> {
    decode_path(name_of(request)).ok_or_else(unknown)
}

fn shown(found: &FoundSkill) -> Response {
    match &found.stored {
        Some(stored) => tagged(stored.version, &Skill::whole(found)),
        None => written(&Skill::whole(found)),
    }
}

fn unknown() -> Problem {
    Problem::with_detail(Kind::NotFound, "there is no skill of this name")
}
