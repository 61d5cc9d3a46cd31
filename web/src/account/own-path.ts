/**
 * Returns a path of this site, for the parameter `to` of a link: never another origin, which could show a copy of this site. The parser of
 * URLs is the one that the browser uses, so it also knows `//host`, `/\host` and control characters.
 */
export function ownPath(path: string | null): string {
  if (path === null || !path.startsWith('/') || !URL.canParse(path, location.origin)) return '/';
  const { origin, pathname, search, hash } = new URL(path, location.origin);
  // `/.//host` becomes `//host`.
  return origin === location.origin && !pathname.startsWith('//') ? pathname + search + hash : '/';
}

/** The path of this page, for a return to it. */
export function currentPath(): string {
  return location.pathname + location.search + location.hash;
}
