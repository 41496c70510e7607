"""Contents of case.toml and summary.json of a result folder, as far as pictures and pages use them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from flexmb.errors import InputError, readable

Tables = dict[str, dict[str, Any]]
Vector = Annotated[list[float], Field(min_length=3, max_length=3)]


def _direction(vector: list[float]) -> list[float]:
    if not any(vector):
        raise ValueError("has zero length, so it gives no direction")
    return vector


def _without_names(energy: Any) -> Any:
    """Return the energies without the contributions listed by contact name."""
    if not isinstance(energy, dict):
        return energy
    return {key: x for key, x in energy.items() if not (str(key).endswith("gain_contact") and isinstance(x, str))}


class Shown(BaseModel):
    """Tables of a file; unused entries are not checked."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, allow_inf_nan=False)


class Gravity(Shown):
    """The table ``[gravity]``."""

    acceleration: Vector = [0.0, 0.0, 0.0]


class Contact(Shown):
    """A table ``[contacts.NAME]``."""

    normal: Annotated[Vector, AfterValidator(_direction)] | None = None
    point: Vector | None = None
    gap: float | None = None
    radius: float | list[float] | None = None


class TimeSteps(Shown):
    """The table ``[time]``."""

    step: Annotated[float, Field(gt=0)] | None = None


class CaseAsDrawn(Shown):
    """The content of case.toml, written by any version."""

    bodies: Tables = {}
    joints: Tables = {}
    loads: Tables = {}
    contacts: dict[str, Contact] = {}
    gravity: Gravity = Gravity()
    time: TimeSteps = TimeSteps()
    scheme: dict[str, Any] = {}
    output: dict[str, Any] = {}
    initial: dict[str, Any] = {}


class Expectation(Shown):
    """An expectation with its result, see ``flexmb.record.summary_text.asked``."""

    signal: str
    reduce: str | None = None
    time: float | None = None
    value: float | None = None
    rtol: float | None = None
    atol: float | None = None
    at_least: float = 0.0
    at_most: float = 0.0
    source: str | None = None
    got: float | None = None
    ok: bool = True


class SummaryAsShown(Shown):
    """The content of summary.json; null means that there is no value."""

    h: Annotated[float, Field(allow_inf_nan=True)]
    title: str | None = None
    status: str | None = None
    computed: str | None = None
    engine: str | None = None
    scheme: dict[str, Any] | None = None
    failure: dict[str, Any] | None = None
    expectations: list[Expectation] | None = None
    expectation_notes: list[str] | None = None
    energy: Annotated[dict[str, float | None], BeforeValidator(_without_names)] | None = None
    versions: dict[str, str] | None = None
    notes: list[str] | None = None
    joint_rows: dict[str, list[str]] | None = None
    steps: float | None = None
    tolerance: float | None = None
    steps_taken: float | None = None
    dofs: float | None = None
    joints: float | None = None
    contacts: float | None = None
    wall_time_s: float | None = None
    us_per_step: float | None = None
    max_penetration: float | None = None
    contact_steps: float | None = None
    newton_iterations: float | None = None


def failure_notes(summary: dict[str, Any]) -> list[str]:
    """Return the reasons why the run of a summary failed; none if it succeeded."""
    if summary.get("status") != "failed":
        return []
    return ["the run failed: " + str((summary.get("failure") or {}).get("error", "see summary.json"))]


def require_shown(kind: type[Shown], data: Any, name: str) -> None:
    """Raise InputError, which names the file ``name``, unless it has the content that a run writes."""
    try:
        kind.model_validate(data)
    except ValidationError as err:
        first = err.errors(include_url=False)[0]
        place, value = ".".join(map(str, first["loc"])) or "it", readable(first["input"])
        raise InputError(f"{name} is damaged: {place} = {value}: {first['msg']}") from None
