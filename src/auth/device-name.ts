/** What a browser says it is -> its name; the first that fits, because most of them name the others, too. */
const BROWSERS: [string, string][] = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const SYSTEMS: [string, string][] = [
  ['iPhone', 'iOS'],
  ['iPad', 'iPadOS'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
];
/** of a program that is no browser: `curl/8.5.0` */
const PROGRAM = /^[A-Za-z0-9._-]{1,40}/;

/** A name that an owner knows a sign-in by, like `Firefox on Linux`; `unknown` where the client says nothing. */
export function deviceName(userAgent: string): string {
  const nameIn = (names: [string, string][]): string | undefined =>
    names.find(([mark]) => userAgent.includes(mark))?.[1];
  const browser = nameIn(BROWSERS) ?? PROGRAM.exec(userAgent)?.[0];
  const system = nameIn(SYSTEMS);
  if (browser === undefined) return system ?? 'unknown';
  return system === undefined ? browser : `${browser} on ${system}`;
}
