import { describeApi, describeOpenCanvasApi } from '../../src/api-document.js';
import { firstSegmentOf, openCanvasMountOf, OWN_SEGMENTS } from '../../src/config/opencanvas-mount.js';

const { path: mount } = openCanvasMountOf('/');

describe('the routes of the OpenCanvas API', () => {
  it('share no first segment with those of the server, but /p, where Accept decides', async () => {
    const own = Object.keys((await describeApi()).paths).map(firstSegmentOf);
    const paths = Object.keys((await describeOpenCanvasApi()).paths);
    const theirs = paths.map((path) => firstSegmentOf(path.startsWith(`${mount}/`) ? path.slice(mount!.length) : path));

    expect(own.filter((segment) => !OWN_SEGMENTS.has(segment))).toEqual([]);
    expect(theirs.length).toBeGreaterThan(2);
    expect([...new Set(theirs.filter((segment) => OWN_SEGMENTS.has(segment)))]).toEqual(
      theirs.includes('p') ? ['p'] : [],
    );
  });

  it('each name the route that replaces them', async () => {
    const { paths } = await describeOpenCanvasApi();
    const operations = Object.values(paths).flatMap(({ get, post, put, patch, delete: remove }) =>
      [get, post, put, patch, remove].filter((one) => one !== undefined),
    );

    expect(operations.length).toBeGreaterThan(30);
    expect(operations.filter(({ description }) => !/^Use \/v1/.test(description ?? ''))).toEqual([]);
  });

  it('are not in the main document', async () => {
    expect(Object.keys((await describeApi()).paths).filter((path) => path.startsWith(`${mount}/`))).toEqual([]);
  });
});
