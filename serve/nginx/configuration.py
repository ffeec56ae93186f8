"""The configuration of an nginx that serves a shelf's files and hands the rest to `docshelf serve`.

Made for nginx 1.18 or later. What it sends for a file is what `docshelf serve` would send.
"""

import re

from docshelf.serve.http.guard import TOOL_PATHS
from docshelf.serve.http.responses import CHECK_FIRST, FOR_EVER, PAGE_POLICY
from docshelf.serve.media import HTML, MARKDOWN, SVG, media_types
from docshelf.serve.nginx.errors import added_headers, error_locations, error_pages
from docshelf.serve.nginx.links import link_maps, link_value, nearest_llms
from docshelf.serve.nginx.options import NginxOptions, serve_command
from docshelf.serve.nginx.words import block, pattern, quoted

_LOG_LINE = "$remote_addr [$time_iso8601] $request_method $uri $status $body_bytes_sent $request_time"
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_CHARSET = "; charset=utf-8"


def nginx_configuration(options: NginxOptions) -> str:
    """A file for /etc/nginx/conf.d; `options` have been checked by `checked_options`."""
    name = _name(options)
    parts = [
        _preface(options),
        # The path without its query: what people read and ask stays out of the log.
        f"log_format {name} '{_LOG_LINE}';",
        *_maps(options, name),
        *([] if options.upstream is None else [_upstream(options.upstream, name)]),
        _server(options, name),
    ]
    return "\n\n".join(parts) + "\n"


def _preface(options: NginxOptions) -> str:
    lines = ["Made by docshelf nginx; a file for /etc/nginx/conf.d. Made again is better than edited."]
    if options.upstream is not None:
        lines += ["Beside it runs:", f"  {serve_command(options)}"]
    return "\n".join(f"# {line}" for line in lines)


def _maps(options: NginxOptions, name: str) -> list[str]:
    """Values of headers, which are left out where they are empty. A 304 has no type, and so none of these."""
    page, other = dict(added_headers(HTML)), dict(added_headers(MARKDOWN))
    picture = f"~^{re.escape(SVG.partition(';')[0])}"
    policy = block(
        f"map $sent_http_content_type ${name}_policy",
        'default "";',
        f"~^text/html {quoted(PAGE_POLICY)};",
        f"{picture} {quoted(PAGE_POLICY)};",
        f"~^application/pdf {quoted(dict(added_headers('application/pdf'))['content-security-policy'])};",
        f"~. {quoted(other['content-security-policy'])};",
    )
    page_headers = [
        block(f"map $sent_http_content_type ${name}_{word}", 'default "";', *(
            f"{kind} {quoted(page[header])};" for kind in ("~^text/html", picture)))
        for word, header in (("frame", "x-frame-options"), ("opener", "cross-origin-opener-policy"))
    ]  # fmt: skip
    varies = [["Accept"] if options.upstream else [], ["Origin"] if options.origins else []]
    made = [policy, *page_headers, *link_maps(options, name), block(
        f"map $sent_http_content_type ${name}_vary",
        f"default {quoted(', '.join(varies[1]))};",
        f"~^text/html {quoted(', '.join(varies[0] + varies[1]))};",
    )]  # fmt: skip
    if options.upstream is not None:
        # Neither GET nor HEAD, or a page for who would rather have its Markdown.
        handed_on = r'"~*^(?!(?:GET|HEAD) )" 1;', r'"~* .*(?:\.html|/) .*text/markdown" 1;'
        made.append(block(f'map "$request_method $uri $http_accept" ${name}_other', "default 0;", *handed_on))
    if options.origins:
        origins = (f'"~^{pattern(origin)}$" $http_origin;' for origin in options.origins)
        made.append(block(f"map $http_origin ${name}_origin", 'default "";', *origins))
    return made


def _upstream(address: str, name: str) -> str:
    return block(
        f"upstream {name}",
        f"server {address};",
        "keepalive 16;",
        # docshelf serve closes after 15 s; who closes first decides whether a request meets a closed door.
        "keepalive_timeout 10s;",
    )


def _server(options: NginxOptions, name: str) -> str:
    hosts = "|".join(pattern(host) for host in (*options.server_names, *_LOOPBACK))
    lines = [
        *(f"listen {address}{' ssl' if options.tls_cert else ''};" for address in options.listen),
        f"server_name {' '.join(options.server_names)};",
        *_tls(options),
        f"access_log {quoted(f'{options.log_folder}/{name}.access.log')} {name};",
        # Lines of a lower level hold the whole request, its query too.
        f"error_log {quoted(f'{options.log_folder}/{name}.error.log')} crit;",
        "server_tokens off;",
        "",
        "# A name of somebody else (DNS rebinding), where nginx has no other server for it.",
        f'if ($host !~* "^(?:{hosts})$") {{ return 403; }}',
        "",
        "client_header_timeout 10s;",
        "client_body_timeout 30s;",
        "send_timeout 60s;",
        "keepalive_timeout 30s;",
        "reset_timedout_connection on;",
        "large_client_header_buffers 4 16k;",
        # docshelf serve would refuse a larger one, too, while nginx is still handing it on.
        "client_max_body_size 1m;",
        "",
        *_file_settings(name),
        *nearest_llms(options, name),
        "",
        *_locations(options, name),
    ]
    return block("server", *lines)


def _tls(options: NginxOptions) -> list[str]:
    if options.tls_cert is None:
        return []
    key = options.tls_key or options.tls_cert
    return [
        f"ssl_certificate {quoted(str(options.tls_cert))};",
        f"ssl_certificate_key {quoted(str(key))};",
        "ssl_protocols TLSv1.2 TLSv1.3;",
        "ssl_session_cache shared:SSL:10m;",
        "ssl_session_tickets off;",
    ]


def _file_settings(name: str) -> list[str]:
    """What holds for every file: its type, its validators, its bounds."""
    types = media_types()
    kinds = [f"{kind.removesuffix(_CHARSET)} {ending};" for ending, kind in types.items()]
    texts = sorted({kind.removesuffix(_CHARSET) for kind in types.values() if kind.endswith(_CHARSET)})
    # nginx always counts text/html in, and warns where it is listed again.
    texts.remove("text/html")
    return [
        "autoindex off;",
        "index index.html;",
        "absolute_redirect off;",
        "log_not_found off;",
        "recursive_error_pages on;",
        *error_pages(name, {}),
        "max_ranges 1;",
        "etag on;",
        "# It would go on serving the release before: two of them mixed after a switch.",
        "open_file_cache off;",
        "",
        block("types", *kinds),
        "default_type application/octet-stream;",
        "charset utf-8;",
        f"charset_types {' '.join(texts)};",
        "gzip on;",
        f"gzip_types {' '.join(texts)};",
        "gzip_min_length 1024;",
        "gzip_vary on;",
        "",
    ]


def _locations(options: NginxOptions, name: str) -> list[str]:
    prefix, site = options.prefix, str(options.site)
    files = _location(options, name, f"{prefix}/", f"{site}/current/", CHECK_FIRST)
    # By name: a map with a pattern, asked before the file is looked for, empties $1 and $2.
    releases = rf'~ "^{pattern(prefix)}/r/(?<docshelf_id>[0-9a-f]{{16}})/(?<docshelf_path>.*)$"'
    made = [
        block(r"location ~ /\.", "return 404;"),
        _location(options, name, releases, f"{site}/releases/$docshelf_id/$docshelf_path", FOR_EVER),
        files,
    ]
    if prefix:
        made += [
            block(f"location = {prefix}", f"return 301 {prefix}/;"),
            block("location /", "return 404;"),
        ]
    if options.upstream is not None:
        made += _proxied(options, name)
    made += error_locations(name)
    return [line for part in made for line in (part, "")][:-1]


def _location(options: NginxOptions, name: str, where: str, folder: str, caching: str) -> str:
    """Files below `folder`."""
    tree = folder.partition("$")[0].rstrip("/")
    other = f"@{name}_gone" if options.upstream is None else f"@{name}"
    lines = [
        f"alias {quoted(folder, variables=True)};",
        f"disable_symlinks on {quoted(f'from={tree}')};",
        "gzip_static on;",
        *(["brotli_static on;"] if options.brotli else []),
    ]
    if options.upstream is None:
        lines += ['if ($request_method !~ "^(?:GET|HEAD)$") { return 405; }']
    else:
        lines += [f"if (${name}_other) {{ return 418; }}"]
    if options.private:
        lines += [f"auth_request {options.prefix}/.docshelf-token;"]
        caching = caching.replace("public", "private")
    lines += [
        *error_pages(name, {403: other, 404: other, 418: other}),
        *_headers(options, name, caching),
    ]
    return block(f"location {where}", *lines)


def _headers(options: NginxOptions, name: str, caching: str) -> list[str]:
    always = {header: value for header, value in added_headers("") if header != "content-security-policy"}
    lines = [
        f"add_header Cache-Control {quoted(caching)};",
        *(f"add_header {header.title()} {quoted(value)} always;" for header, value in always.items()),
        f"add_header Content-Security-Policy ${name}_policy always;",
        f"add_header X-Frame-Options ${name}_frame always;",
        f"add_header Cross-Origin-Opener-Policy ${name}_opener always;",
        f"add_header Link {link_value(name)};",
        f"add_header Vary ${name}_vary;",
    ]
    if options.origins:
        lines += [
            f"add_header Access-Control-Allow-Origin ${name}_origin;",
            'add_header Access-Control-Expose-Headers "ETag, Link";',
        ]
    return lines


def _proxied(options: NginxOptions, name: str) -> list[str]:
    """What docshelf serve answers: tools, MCP, and addresses that no file stands at."""
    tools = "|".join(sorted(pattern(path) for path in TOOL_PATHS))
    gone = f"@{name}_gone"
    handed_on = [*_prefix_off(options.prefix), *_proxy(name)]
    made = [
        block(f'location ~ "^{pattern(options.prefix)}/(?:{tools})/?$"', *handed_on,
               *error_pages(name, {})),
        block(f"location @{name}", *handed_on, *error_pages(name, {502: gone, 503: gone, 504: gone})),
    ]  # fmt: skip
    if options.private:
        made.append(
            block(
                f"location = {options.prefix}/.docshelf-token",
                "internal;",
                *_proxy(name, "/healthz"),
                "proxy_pass_request_body off;",
                'proxy_set_header Content-Length "";',
            )
        )
    return made


def _prefix_off(prefix: str) -> list[str]:
    """Links of docshelf serve are relative: it need not know where it stands."""
    return [f'rewrite "^{pattern(prefix)}(/.*)$" $1 break;'] if prefix else []


def _proxy(name: str, path: str = "") -> list[str]:
    return [
        f"proxy_pass http://{name}{path};",
        "proxy_http_version 1.1;",
        'proxy_set_header Connection "";',
        # With its port: docshelf serve holds the Origin of web pages against it.
        "proxy_set_header Host $http_host;",
        "proxy_buffering off;",
        "proxy_request_buffering off;",
        "proxy_connect_timeout 5s;",
        "gzip off;",
    ]


def _name(options: NginxOptions) -> str:
    """What this shelf's variables are called: two shelves in one nginx must not share any."""
    return "docshelf_" + re.sub(
        "[^a-z0-9]+", "_", f"{options.server_names[0]}{options.prefix}".lower()
    ).strip("_")
