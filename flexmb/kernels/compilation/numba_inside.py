"""What we use of numba's inside: how functions are linked, kept and loaded, and arrays laid out. No other file does.

numba optimizes a function together with all it calls and turns it into machine code, at every level of a chain of
calls: the same inner loop ten times over. Here a function that others call is *loose*: no more than its intermediate
code is made. Only an *entry*, which Python or a stage calls, links the loose ones below it, optimizes the whole once
and turns it into machine code.

Where a version of numba lacks what is needed (``KNOWN`` is False), functions are compiled numba's way, at every start.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numba
import numpy as np

try:
    from numba.core import (
        caching,
        ccallback,
        codegen,
        compiler,
        environment,
        registry,
        serialize,
        sigutils,
        targetconfig,
        types,
    )

    _Library: Any = codegen.JITCodeLibrary
    _Compiler: Any = compiler.Compiler
    _result: Any = compiler.CompileResult
    _made: Any = compiler.compile_result
    _callback: Any = ccallback.CFunc
    _places: Any = caching.CompileResultCacheImpl
    _environment: Any = environment.lookup_environment
    _dumps: Any = serialize.dumps
    _normalized: Any = sigutils.normalize_signature
    _Flags: Any = compiler.Flags
    _target: Any = registry.cpu_target
    _Function: Any = types.Function
    _NUMBERS: Any = (types.Number, types.Boolean)
    _flags_in_use: Any = targetconfig.ConfigStack.top_or_none
    KNOWN = True
except (ImportError, AttributeError):  # a version that is not among those of pyproject.toml
    _Library = _Compiler = _Flags = object
    KNOWN = False

if KNOWN and numba.config.COLOR_SCHEME == "no_color":  # type: ignore[attr-defined]
    # numba words every implementation it tries in vain, and would set up the colours of the terminal for each
    with contextlib.suppress(ImportError, AttributeError):
        import numba.core.errors

        errors: Any = numba.core.errors
        _plain: Any = type("Plain", (errors._DummyColorScheme,), {})
        for _part in ("code", "errmsg", "filename", "indicate", "highlight", "reset"):
            setattr(_plain, _part, lambda self, msg: msg)
        errors._termcolor_inst = _plain()

try:
    from numba.core.errors import NumbaError, RequireLiteralValue
except ImportError:  # a version that keeps them elsewhere: nothing is told apart
    NumbaError = RequireLiteralValue = Exception  # type: ignore[misc, assignment]

CannotCompileError: type[Exception] = NumbaError
"""What numba raises for a function that it cannot compile."""
NeedsLiteralError: type[Exception] = RequireLiteralValue
"""What an intrinsic raises to ask for the value of an argument beside its type."""

ENVIRONMENT = "_ZN08NumbaEnv"
"""Prefixes of the symbols behind which numba keeps the Python objects of a function."""


class _WithoutEnvironments:
    """The code generator as a loose library shows it: what is not in memory yet has no place for Python objects."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, env: Any) -> None:
        """Do nothing; entries see to it."""


class LooseLibrary(_Library):  # type: ignore[misc]
    """The intermediate code of a function and of all it calls."""

    @property
    def codegen(self) -> Any:
        """The code generator, but for what needs machine code."""
        return _WithoutEnvironments(self._codegen)

    def finalize(self) -> None:
        """Link what is called, without optimizing anything: entries do that."""
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == "external":
                function.linkage = "linkonce_odr"  # entries may get it from several sides
        self._finalize_dynamic_globals()
        self._shared_module = self._final_module
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no machine code."""
        self._ensure_finalized()
        return 0

    def serialize_using_object_code(self) -> Any:
        """Return the intermediate code as data."""
        self._ensure_finalized()
        return (self.name, "loose", self._final_module.as_bitcode())


class EntryLibrary(_Library):  # type: ignore[misc]
    """The machine code of an entry."""

    def _finalize_specific(self) -> None:
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(ENVIRONMENT):
                env = _environment(variable.name)
                if env is not None:
                    self._codegen.set_env(variable.name, env)


class _SameFlags(_Flags):  # type: ignore[misc]
    """The options of a compilation, one object for all that have the same; it cannot be changed.

    numba compares them, some forty values, with those of every implementation it tries for every operation; for the
    same object that takes no time.
    """

    __slots__ = ()
    _known: ClassVar[dict[str, _SameFlags]] = {}

    @classmethod
    def of(cls, flags: Any) -> _SameFlags:
        """Return the object that stands for ``flags``."""
        words = repr(flags)
        if words not in cls._known:
            cls._known[words] = cls(flags)
            cls._known[words]._values = MappingProxyType(cls._known[words]._values)
        return cls._known[words]

    def copy(self) -> Any:
        """Return a copy that can be changed."""
        return _Flags(self)

    def __eq__(self, other: object) -> bool:
        if self is other or type(other) is _SameFlags:
            return self is other
        return bool(super().__eq__(other))

    def __hash__(self) -> int:
        return _HASH


class _GivenFlags(_Flags):  # type: ignore[misc]
    """The options of a compilation, whose copy, with which it begins, is the object that stands for them."""

    __slots__ = ()

    def copy(self) -> Any:
        """Return the object that stands for these options."""
        return _SameFlags.of(_Flags(self))


def _remember_operators() -> None:
    """Let numba choose the implementation of an operator or builtin function of numbers once for each of its types.

    It tries some ten of them in vain at every place where one is used, a fifth of the time that a compilation takes.
    """
    choose = _Function.get_call_type
    known: dict[Any, Any] = {}

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or not all(isinstance(ty, _NUMBERS) for ty in args):
            return choose(self, context, args, kws)
        key = (id(self), id(context), tuple(args), _flags_in_use())
        if key not in known:
            known[key] = (self, context, choose(self, context, args, kws))  # both live on: ids are theirs for good
        return known[key][2]

    _Function.get_call_type = get_call_type


_HASH = hash(_Flags()) if KNOWN else 0  # it is the same for all of them


if KNOWN:
    _remember_operators()


RARELY = (50_000, 10, 100)
"""Thresholds of the garbage collector during a compilation: with Python's defaults, collecting takes a tenth of it."""


def _compiler(library: Any) -> Any:
    """Return a compiler that puts what it makes into a library of a kind."""

    class Into(_Compiler):  # type: ignore[misc]
        def _compile_core(self) -> Any:
            self.state.flags = _GivenFlags(self.state.flags)
            usual = gc.get_threshold()
            gc.set_threshold(*RARELY)
            try:
                return super()._compile_core()
            finally:
                gc.set_threshold(*usual)

        def define_pipelines(self) -> Any:
            if self.state.library is None:
                self.state.library = library(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
                self.state.library.enable_object_caching()
            return super().define_pipelines()

    return Into


LOOSE: dict[str, Any] = {"pipeline_class": _compiler(LooseLibrary)} if KNOWN else {}
ENTRY: dict[str, Any] = {"pipeline_class": _compiler(EntryLibrary)} if KNOWN else {}
"""Options of ``numba.njit`` for the two kinds of functions."""


def called_as(entry: Any, loose: Any) -> None:
    """Let the functions that call ``entry`` call its loose form instead."""
    entry.get_call_template = loose.get_call_template
    entry.get_overload = loose.get_overload


def entry_callback(function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> Any:
    """Return an entry that C can call, not compiled yet."""
    return _callback(function, _normalized(signature), locals={}, options=options, **ENTRY)


def cache_folder(function: Callable[..., Any]) -> Path | None:
    """Return the folder that numba chooses for compiled files; None where there is none."""
    try:
        return Path(_places(function).locator.get_cache_path())
    except RuntimeError:
        return None


def machine_code(codegen: Any = None) -> tuple[str, ...]:
    """Return what machine code is made for: the processor and its features; by default those of this machine."""
    return tuple((codegen or _target.target_context.codegen()).magic_tuple())


def can_be_kept(compiled: Any) -> bool:
    """Tell whether what numba compiles of a function can be kept by a cache of our own."""
    return hasattr(compiled, "_cache")


def keep_in(compiled: Any, cache: Any) -> None:
    """Let a compiled function ask a cache before it compiles."""
    compiled._cache = cache


def cache_of(compiled: Any) -> Any:
    """Return the cache that a compiled function asks."""
    return compiled._cache


def counting(counts: bool) -> dict[str, Any]:
    """Return the option of ``numba.njit`` and ``numba.cfunc`` that switches reference counts on or off."""
    return {"_nrt": counts}


def is_callback(function: Any) -> bool:
    """Tell whether a function is one of ``numba.cfunc``."""
    return hasattr(function, "_wrapper_address")


def callback_signature(function: Any) -> Any:
    """Return the signature of a function of ``numba.cfunc``."""
    return function._sig


def pickled(value: Any) -> bytes:
    """Return a value of numba's as data."""
    return bytes(_dumps(value))


def as_data(compiled: Any) -> bytes | None:
    """Return a compiled function as data; None when it holds what only this process has."""
    if compiled.lifted or compiled.library.has_dynamic_globals:
        return None
    # the annotated listing, which nobody reads, takes longer than all the rest
    return pickled(compiled._replace(type_annotation="")._reduce())


def from_data(target: Any, data: Any) -> Any:
    """Return the compiled function of unpickled data."""
    (name, kind, code), fndesc, env, signature, _, _, _, reload_init, _ = data
    if kind != "loose":
        return _result._rebuild(target, *data)
    from llvmlite import binding

    for again in reload_init:
        again()
    library = LooseLibrary(target.codegen(), name)
    library.enable_object_caching()
    library._final_module = binding.parse_bitcode(code)
    library.finalize()
    entry = target.get_executable(library, fndesc, env)
    return _made(
        typing_context=target.typing_context,
        target_context=target,
        entry_point=entry,
        type_annotation="",
        library=library,
        signature=signature,
        objectmode=False,
        lifted=(),
        fndesc=fndesc,
        environment=env,
        reload_init=reload_init,
    )


def named_tuple_type(fields: Sequence[Any], cls: Any) -> Any:
    """Return numba's type of a named tuple with fields of these types."""
    return numba.types.BaseTuple.from_types(tuple(fields), cls)  # type: ignore[no-untyped-call]


def array_words(array: np.ndarray[Any, Any]) -> list[int]:
    """Return an array as numba keeps it in memory, in words of eight bytes.

    They are the owner of its memory and the Python object, which borrowed arrays lack, the numbers of items and of
    bytes of each, where the numbers are, lengths and strides.
    """
    return [0, 0, array.size, array.itemsize, array.ctypes.data, *array.shape, *array.strides]


def pointer_to(context: Any, builder: Any, address: Any, ty: Any) -> Any:
    """Write, in an intrinsic, the pointer to a value of a type at an address."""
    return builder.inttoptr(address, context.get_value_type(ty).as_pointer())


def load_part(context: Any, builder: Any, address: Any, ty: Any, places: Sequence[int] = ()) -> Any:
    """Write, in an intrinsic, the value of a type at an address, or the part of it at a place in a place in it."""
    from llvmlite import ir

    pointer = pointer_to(context, builder, address, ty)
    for place in places:
        steps = [ir.Constant(ir.IntType(32), k) for k in (0, place)]
        pointer = builder.gep(pointer, steps, inbounds=True)
    return builder.load(pointer)


def call_address(builder: Any, address: Any, result: Any, values: Sequence[Any]) -> Any:
    """Write, in an intrinsic, a call of the C function at an address that returns a ``result`` of LLVM's types."""
    from llvmlite import ir

    kind = ir.FunctionType(result, [value.type for value in values])
    return builder.call(builder.inttoptr(address, kind.as_pointer()), values)


def data_address(context: Any, builder: Any, ty: Any, array: Any) -> Any:
    """Write, in an intrinsic, where the numbers of an array of a type are."""
    from llvmlite import ir

    return builder.ptrtoint(context.make_array(ty)(context, builder, array).data, ir.IntType(64))
