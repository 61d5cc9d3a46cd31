/** Other spellings of the URL of a path without a query, and the expected reaction of the server. */
export type Spelling = {
  title: string;
  of: (path: string) => string;
  /** `same`: the plain URL; `nothing`: another URL, which is 404; `refused`: an invalid URL */
  is: 'same' | 'nothing' | 'refused';
};

const encoded = (text: string, digits: (hex: string) => string = (hex) => hex): string =>
  [...text].map((character) => `%${digits(character.charCodeAt(0).toString(16).padStart(2, '0'))}`).join('');
const last = (path: string, change: (segment: string) => string): string => {
  const at = path.lastIndexOf('/') + 1;
  return path.slice(0, at) + change(path.slice(at));
};
const first = (path: string, change: (segment: string) => string): string => {
  const at = path.indexOf('/', 1);
  return `/${change(path.slice(1, at))}${path.slice(at)}`;
};

const spelling = (is: Spelling['is'], title: string, of: Spelling['of']): Spelling => ({ title, of, is });

export const SPELLINGS: Spelling[] = [
  spelling('same', 'as it is', (path) => path),
  spelling('same', 'an empty query', (path) => `${path}?`),
  spelling('same', 'a query of separators', (path) => `${path}?&&`),
  spelling('refused', 'an encoded letter', (path) => last(path, (name) => encoded(name[0]!) + name.slice(1))),
  spelling('refused', 'an encoded letter in upper-case digits', (path) =>
    last(path, (name) => name.slice(0, -1) + encoded(name.at(-1)!, (hex) => hex.toUpperCase())),
  ),
  spelling('refused', 'an encoded last segment', (path) => last(path, (name) => encoded(name))),
  spelling('refused', 'an encoded letter of the version', (path) => first(path, (name) => encoded('v') + name.slice(1))),
  spelling('refused', 'an encoded digit of the version', (path) => first(path, () => `v${encoded('1')}`)),
  spelling('refused', 'an encoded letter and a query', (path) => `${last(path, (name) => encoded(name))}?`),
  spelling('refused', 'everything encoded but the slashes', (path) => path.split('/').map((part) => encoded(part)).join('/')),
  spelling('refused', 'everything encoded', (path) => encoded(path)),
  spelling('refused', 'an encoded first slash', (path) => `%2f${path.slice(1)}`),
  spelling('refused', 'an encoded slash before all', (path) => `/%2e%2e${path}`),
  spelling('same', 'the absolute form', (path) => `http://a${path}`),
  spelling('same', 'the absolute form in upper case', (path) => `HTTP://A.EXAMPLE:80${path}`),
  spelling('refused', 'the absolute form with a user', (path) => `https://user@a.example${path}?`),
  spelling('refused', 'two slashes', (path) => `/${path}`),
  spelling('refused', 'two slashes and a host', (path) => `//a.example${path}`),
  spelling('refused', 'three slashes', (path) => `//${path}`),
  spelling('refused', 'a fragment', (path) => `${path}#x`),
  spelling('refused', 'an empty fragment', (path) => `${path}#`),
  spelling('refused', 'a fragment with a query in it', (path) => `${path}#?a=b`),
  spelling('refused', 'a fragment behind a query', (path) => `${path}?#`),
  spelling('refused', 'a segment of a dot', (path) => `/.${path}`),
  spelling('refused', 'a segment of two dots', (path) => `/x/..${path}`),
  spelling('refused', 'two dots in the middle', (path) => last(path, (name) => `x/../${name}`)),
  spelling('refused', 'a dot at the end', (path) => `${path}/.`),
  spelling('refused', 'an encoded dot', (path) => last(path, (name) => `%2e/${name}`)),
  spelling('refused', 'two encoded dots', (path) => last(path, (name) => `x/%2E%2e/${name}`)),
  spelling('refused', 'a dot that is half encoded', (path) => last(path, (name) => `x/.%2e/${name}`)),
  spelling('refused', 'backslashes', (path) => `/${path.slice(1).replaceAll('/', '\\')}`),
  spelling('refused', 'a backslash at the end', (path) => `${path}\\`),
  spelling('refused', 'bytes that are no UTF-8', (path) => `${path}%ff`),
  spelling('refused', 'a letter in two bytes', (path) => last(path, (name) => `%c1%b2${name.slice(1)}`)),
  spelling('refused', 'half an encoding', (path) => `${path}%`),
  spelling('refused', 'an encoding without digits', (path) => `${path}%zz`),
  spelling('nothing', 'a letter encoded twice', (path) => last(path, (name) => `%25${encoded(name[0]!).slice(1)}${name.slice(1)}`)),
  spelling('nothing', 'encoded slashes', (path) => `/${path.slice(1).replaceAll('/', '%2f')}`),
  spelling('nothing', 'an encoded slash at the end', (path) => `${path}%2F`),
  spelling('nothing', 'an encoded backslash', (path) => last(path, (name) => `x%5c${name}`)),
  spelling('same', 'a slash at the end', (path) => `${path}/`),
  spelling('nothing', 'two slashes in the middle', (path) => last(path, (name) => `/${name}`)),
  spelling('nothing', 'upper case', (path) => path.toUpperCase()),
  spelling('nothing', 'an upper-case version', (path) => first(path, (name) => name.toUpperCase())),
  spelling('nothing', 'a semicolon', (path) => `${path};`),
  spelling('nothing', 'a parameter of the path', (path) => `${path};jsessionid=1`),
  spelling('nothing', 'an encoded question mark', (path) => `${path}%3f`),
  spelling('nothing', 'an encoded fragment', (path) => `${path}%23`),
  spelling('nothing', 'a null', (path) => `${path}%00`),
  spelling('nothing', 'a line break', (path) => `${path}%0d%0a`),
  spelling('nothing', 'an encoded space', (path) => `${path}%20`),
  spelling('nothing', 'a plus', (path) => `${path}+`),
  spelling('nothing', 'a wide letter', (path) => last(path, (name) => `%EF%BD%92${name.slice(1)}`)),
]; // prettier-ignore
