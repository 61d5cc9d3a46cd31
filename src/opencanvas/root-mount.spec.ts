import { mountedUrl } from './root-mount.js';

const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const AXIOS = 'application/json, text/plain, */*';

describe('an address when the OpenCanvas API is at the root', () => {
  it.each([
    ['/', undefined, '/oc'],
    ['/articles?limit=16', undefined, '/oc/articles?limit=16'],
    ['/p/notes-1', AXIOS, '/oc/p/notes-1'],
    ['/p/notes-1', undefined, '/oc/p/notes-1'],
    ['/p/notes-1/comments?page=1', HTML, '/oc/p/notes-1/comments?page=1'],
    ['/v1x', undefined, '/oc/v1x'],
  ])('%s, asked for as %s, leads to the API', (url, accept, expected) => {
    expect(mountedUrl(url, accept, '/oc')).toBe(expected);
  });

  it.each([
    ['/p/notes-1', HTML],
    ['/p/notes-1?utm_source=x', HTML],
    ['/v1/feed', AXIOS],
    ['/health/ready', undefined],
    ['/sitemap.xml', undefined],
    ['/oc/articles', undefined],
    ['*', undefined],
  ])('%s, asked for as %s, stays that of the server', (url, accept) => {
    expect(mountedUrl(url, accept, '/oc')).toBe(url);
  });
});
