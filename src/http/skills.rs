//! `/skills`: named instructions.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::body::{self, BodyMedia, RequestInput};
use super::enum_values::SKILL_LIST_FORMATS;
use super::job::{self, visit, work};
use super::problem::{Kind, Problem};
use super::query::{Query, decode_path, encode_cursor, name_of};
use super::response::{read_condition, respond_with, respond_with_etag};
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
    let parameters = &["format", "include_when_to_use", "max_chars", "limit", "cursor"];
    let query = Query::parse(request.uri(), parameters)?;
    let format = query.choice("format", SKILL_LIST_FORMATS)?.flatten();
    let with_when = query.choice("include_when_to_use", &[("true", true), ("false", false)])?;
    let max_chars = query.whole("max_chars")?;
    let max_chars = max_chars.map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    let (limit, after) = (query.limit()?, query.cursor()?);
    let input = RequestInput::without_body(&state, &request)?;
    let (found, errors) = visit(&state, input, |services, _| {
        Ok((skills::all(services)?, skills::errors(services).to_vec()))
    })
    .await?;
    if let Some(format) = format {
        const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
        let list = found.iter().map(|found| &found.skill);
        let text = list_skills(list, format, with_when.unwrap_or(true), max_chars);
        return Ok(([(header::CONTENT_TYPE, TEXT)], text).into_response());
    }
    let is_after =
        |found: &&FoundSkill| after.as_deref().is_none_or(|after| *found.skill.name > *after);
    let rows: Vec<&FoundSkill> = found.iter().filter(is_after).take(limit + 1).collect();
    let has_more = rows.len() > limit;
    let items: Vec<Skill> = rows.into_iter().take(limit).map(Skill::row).collect();
    let next_cursor = items.last().filter(|_| has_more).map(|last| encode_cursor(&last.name));
    let errors = errors.iter().map(SkillError::from).collect();
    Ok(respond_with(&SkillList { items, next_cursor, errors }))
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
    let input = RequestInput::without_body(&state, &request)?;
    let find = visit(&state, input, move |services, _| Ok(skills::find(services, &name)?));
    Ok(respond_with_skill(&find.await?.ok_or_else(skill_not_found)?))
}

/// Store a skill
///
/// The body is its members as JSON, or a `SKILL.md` as `text/plain`. Under the name of one of a
/// folder it takes its place.
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
        (status = OK, description = "It replaces the previous one", body = Skill),
        (status = "4XX", description = "The skill is not valid"),
    ),
)]
pub(super) async fn put_skill(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let name = skill_name(&request)?;
    let condition = read_condition(request.headers())?;
    let (input, media) = body::read_any(&state, request).await?;
    let put = visit(&state, input, move |services, text| {
        skills::put(services, &name, text, media == BodyMedia::Text, condition)
    });
    let (found, is_new) = put.await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, respond_with_skill(&found)).into_response())
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
    job::delete(&state, request, name, skills::delete).await
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
    let input = body::read(&state, request).await?;
    let render = work(&state, input, move |services, text| skills::render(services, &name, text));
    let (skill, instructions) = render.await?;
    Ok(respond_with(&RenderedSkill { name: skill.name.to_string(), instructions }))
}

fn skill_name(request: &Request) -> Result<String, Problem> {
    decode_path(name_of(request)).ok_or_else(skill_not_found)
}

fn respond_with_skill(found: &FoundSkill) -> Response {
    match &found.stored {
        Some(stored) => respond_with_etag(stored.version, &Skill::whole(found)),
        None => respond_with(&Skill::whole(found)),
    }
}

fn skill_not_found() -> Problem {
    Problem::with_detail(Kind::NotFound, "there is no skill of this name")
}
