import { describeApi, describeOpenCanvasApi } from '../../src/api-document.js';
import { firstSegmentOf, openCanvasMountOf, OWN_SEGMENTS } from '../../src/config/opencanvas-mount.js';
import { operationsOf } from '../support/openapi.js';

const { path: mount } = openCanvasMountOf('/');

describe('the routes of the OpenCanvas API', () => {
  it('share no first segment with those of the server, but /p, where Accept decides', async () => {
    const own = Object.keys((await describeApi()).paths).map(firstSegmentOf);
    const theirs = Object.keys((await describeOpenCanvasApi()).paths).map((path) =>
      firstSegmentOf(path.slice(mount!.length)),
    );

    expect(own.filter((segment) => !OWN_SEGMENTS.has(segment))).toEqual([]);
    expect(theirs.length).toBeGreaterThan(2);
    expect([...new Set(theirs.filter((segment) => OWN_SEGMENTS.has(segment)))]).toEqual(
      theirs.includes('p') ? ['p'] : [],
    );
  });

  it('each name the route that replaces them', async () => {
    const operations = operationsOf(await describeOpenCanvasApi());
    const lacking = operations.filter(({ description }) => !/^Use \/v1/.test(description ?? ''));

    expect(lacking.map(({ name }) => name)).toEqual([]);
  });

  it('are not in the main document', async () => {
    expect(Object.keys((await describeApi()).paths).filter((path) => path.startsWith(`${mount}/`))).toEqual([]);
  });
});
