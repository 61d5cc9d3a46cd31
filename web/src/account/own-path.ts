/**
 * Returns the URL of a path of this site, for the parameter `to` of a link: never another origin, which could show a copy of this site. The
 * parser of URLs is the one that the browser uses, so it also knows `//host`, `/\host` and control characters.
 */
export function ownUrl(path: string | null): string {
  const home = `${location.origin}/`;
  if (path === null || !path.startsWith('/') || !URL.canParse(path, home)) return home;
  const url = new URL(path, home);
  return url.origin === location.origin ? url.href : home;
}

/** The path of this page, for a return to it. */
export function currentPath(): string {
  return location.pathname + location.search + location.hash;
}
