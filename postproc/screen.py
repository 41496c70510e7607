"""Whether a screen is available, and otherwise the means of rendering off-screen."""

from __future__ import annotations

import ctypes
import os
import sys

from flexmb.errors import InputError

WINDOW = "VTK_DEFAULT_OPENGL_WINDOW"


def has_screen() -> bool:
    """Return whether a window can be opened. On Linux: whether the X server named by DISPLAY answers."""
    if not sys.platform.startswith("linux"):
        return True
    if not os.environ.get("DISPLAY"):
        return False
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        return False
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = x11.XOpenDisplay(None)
    if display:
        x11.XCloseDisplay(ctypes.c_void_p(display))
    return bool(display)


def prepare_off_screen() -> None:
    """Select the off-screen renderer of VTK without a screen: EGL, else OSMesa.

    Left alone, VTK tries the X server first and warns that there is none; with neither library it would crash.
    A choice the user made with VTK_DEFAULT_OPENGL_WINDOW is kept.
    """
    if WINDOW in os.environ or has_screen():
        return
    if _has_egl():
        os.environ[WINDOW] = "vtkEGLRenderWindow"
    elif _has_osmesa():
        os.environ[WINDOW] = "vtkOSOpenGLRenderWindow"
    else:
        raise InputError(
            "there is no display, and neither EGL nor OSMesa for off-screen rendering; "
            "install one of them (Debian and Ubuntu: apt install libegl1, or libosmesa6)"
        )


def _has_egl() -> bool:
    """Return whether EGL is installed and provides a device (Mesa's software renderer is one)."""
    try:
        egl = ctypes.CDLL("libEGL.so.1")
    except OSError:
        return False
    egl.eglGetProcAddress.restype = ctypes.c_void_p
    address = egl.eglGetProcAddress(b"eglQueryDevicesEXT")
    if not address:
        return False
    query = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int))(address)
    count = ctypes.c_int(0)
    return bool(query(0, None, ctypes.byref(count))) and count.value > 0


def _has_osmesa() -> bool:
    for name in ("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"):
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return True
    return False
