"""A real nginx on loopback with the configuration that `docshelf nginx` prints."""

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from docshelf.serve.nginx.configuration import nginx_configuration
from docshelf.serve.nginx.options import NginxOptions, checked_options

_BROTLI = "load_module /usr/lib/nginx/modules/ngx_http_brotli_static_module.so;\n"
_MAIN = """\
{user}daemon off;
worker_processes 2;
pid {folder}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 256; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{printed}
}}
"""


@contextmanager
def running_nginx(site: Path, folder: Path, *options: NginxOptions) -> Iterator[str]:
    """The address of an nginx that serves as `options` say, else the files of `site` only.

    `folder` is for its own files, the logs among them. With a certificate the address is of https.
    """
    shelves = options or (NginxOptions(site, upstream=None),)
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    assert program, "nginx is not installed; run: apt-get install nginx-light"
    folder.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        file = folder / "nginx.conf"
        here = (f"127.0.0.1:{port}",)
        printed = [
            nginx_configuration(checked_options(replace(shelf, listen=here, log_folder=folder)))
            for shelf in shelves
        ]
        modules = _BROTLI if any(shelf.brotli for shelf in shelves) else ""
        file.write_text(modules + _configuration("\n".join(printed), folder), "utf-8")
        # nginx takes over the socket that it is given, so that nobody else can take the port.
        listener.setblocking(False)
        process = subprocess.Popen(
            [program, "-c", str(file)],
            env={"NGINX": f"{listener.fileno()};"},
            pass_fds=[listener.fileno()],
            stderr=subprocess.PIPE,
            text=True,
        )
    try:
        yield f"http{'s' if shelves[0].tls_cert else ''}://127.0.0.1:{port}"
    finally:
        process.terminate()
        _, words = process.communicate(timeout=60)
    # Workers of a busy machine may take longer to end than nginx waits for them.
    faults = [line for line in words.splitlines() if "exited on signal 9" not in line]
    assert not {"emerg", "alert", "crit", "warn"} & set(re.findall(r"\[(\w+)\]", "\n".join(faults))), words


def _configuration(printed: str, folder: Path) -> str:
    # A temporary folder is closed to the user that nginx would take instead of root.
    user = "user root;\n" if os.geteuid() == 0 else ""
    return _MAIN.format(user=user, folder=folder, printed=printed)
