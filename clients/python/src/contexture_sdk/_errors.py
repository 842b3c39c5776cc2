"""The one exception of the client."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union, cast

if TYPE_CHECKING:
    import httpx

    from .types import FieldError, Problem

# Codes of failures that the server did not describe.
CONNECTION_FAILED = "connection_failed"
TIMEOUT = "timeout"
UNEXPECTED_RESPONSE = "unexpected_response"


class ContextureError(Exception):
    """A request that was refused, or that got no response.

    `code` is that of the server's problem document (docs/problems.md), or `connection_failed`, `timeout` or
    `unexpected_response`; `status` is None if there was no response. `errors` names every faulty place of the request.
    """

    def __init__(
        self, code: str, detail: str, *, status: Optional[int] = None, problem: Optional[Problem] = None,
        request_id: Optional[str] = None, retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.status = status
        self.problem = problem
        self.request_id = request_id
        self.retry_after = retry_after

    @property
    def errors(self) -> List[FieldError]:
        """Every faulty place of the request, each with a JSON Pointer."""
        return list(self.problem.get("errors") or []) if self.problem else []

    @property
    def details(self) -> Dict[str, Any]:
        """What else the problem holds, by its code."""
        details = self.problem.get("details") if self.problem else None
        return details if isinstance(details, dict) else {}

    def __str__(self) -> str:
        places = "".join(f"\n  {fault['pointer'] or '(request)'}: {fault['detail']}" for fault in self.errors)
        status = f" ({self.status})" if self.status else ""
        request = f" [{self.request_id}]" if self.request_id else ""
        return f"{self.code}{status}: {self.detail}{request}{places}"

    @classmethod
    def of_response(cls, response: httpx.Response, retry_after: Optional[float]) -> ContextureError:
        """The error that a response with a status of 300 and above is."""
        request_id = response.headers.get("x-request-id")
        try:
            body: Any = response.json()
        except (ValueError, UnicodeDecodeError):
            body = None
        if isinstance(body, dict) and isinstance(body.get("code"), str):
            detail = str(body.get("detail") or body.get("title") or "")
            return cls(
                body["code"], detail, status=response.status_code, problem=cast("Problem", body),
                request_id=str(body.get("request_id") or request_id or "") or None, retry_after=retry_after,
            )
        return cls(
            UNEXPECTED_RESPONSE, f"the response is no problem document: {response.text[:200]!r}",
            status=response.status_code, request_id=request_id, retry_after=retry_after,
        )

    @classmethod
    def json_of(cls, text: Union[str, bytes], response: Optional[httpx.Response] = None) -> Any:
        """The JSON of a text that the server sent."""
        try:
            return json.loads(text)
        except (ValueError, UnicodeDecodeError) as error:
            status = response.status_code if response is not None else None
            request_id = response.headers.get("x-request-id") if response is not None else None
            raise cls(
                UNEXPECTED_RESPONSE, f"the response is not JSON: {error}", status=status, request_id=request_id
            ) from error
