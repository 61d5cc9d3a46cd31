/** A part of a user agent -> the browser's name; the first match wins, because most browsers name others, too. */
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
/** of a program other than a browser: `curl/8.5.0` */
const PROGRAM = /^[A-Za-z0-9._-]{1,40}/;

/** A name by which an owner recognizes a session, like `Firefox on Linux`; `unknown` without a user agent. */
export function deviceName(userAgent: string): string {
  const nameIn = (names: [string, string][]): string | undefined =>
    names.find(([mark]) => userAgent.includes(mark))?.[1];
  const browser = nameIn(BROWSERS) ?? PROGRAM.exec(userAgent)?.[0];
  const system = nameIn(SYSTEMS);
  if (browser === undefined) return system ?? 'unknown';
  return system === undefined ? browser : `${browser} on ${system}`;
}
