import { flameGraph } from './flame-graph.js';

const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 9, columnNumber: 0 });

describe('flameGraph', () => {
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('(root)'), children: [2, 3, 4] },
      { id: 2, callFrame: frame('(idle)') },
      { id: 3, callFrame: frame('</script>', 'file:///srv/node_modules/driver/src/connection.js'), children: [5] },
      { id: 4, callFrame: frame('recordCpu', 'file:///srv/dist/chunk.js') },
      { id: 5, callFrame: frame('parse', 'file:///srv/src/posts/parse.js') },
    ],
    samples: [2, 3, 5, 5, 4],
    timeDeltas: [90_000, 1_000, 2_000, 3_000, 4_000],
  };

  it('adds up the time of functions, without idle time and the profiler', () => {
    const page = flameGraph(profile, 'cpu of web-1');

    const [, data] = /<script type="application\/json" id="data">(.*)<\/script>/.exec(page)!;
    expect(JSON.parse(data!)).toEqual({
      root: [
        'cpu of web-1',
        '',
        0,
        6,
        [
          [
            '</script>',
            'node_modules/driver/src/connection.js:10',
            1,
            6,
            [['parse', 'src/posts/parse.js:10', 5, 5, []]],
          ],
        ],
      ],
      unit: 'ms',
    });
  });

  it('escapes names of functions', () => {
    expect(flameGraph(profile, '').match(/<\/script>/g)).toHaveLength(2);
  });
});
