import { benchmarkCommand } from './benchmark.command.js';

/** The error of a command that is refused before anything starts. */
async function refusalOf(...args: string[]): Promise<string> {
  let said = '';
  const command = benchmarkCommand()
    .exitOverride()
    .configureOutput({ writeErr: (text) => (said += text) });
  await expect(command.parseAsync(args, { from: 'user' })).rejects.toThrow();
  return said;
}

describe('npm run benchmark', () => {
  it.each(['--suite', '--subjects'])('refuses %s without a name', async (option) => {
    expect(await refusalOf(option, '')).toContain('It must be a comma-separated list');
    expect(await refusalOf(option, ' , ')).toContain('It must be a comma-separated list');
  });

  it.each(['http://host:3000/api', 'http://host/?a=1', 'http://me:secret@host', 'https://host', 'host:3000'])(
    'refuses %s as a target',
    async (url) => expect(await refusalOf('--target', url)).toContain('a host and a port only'),
  );

  it('accepts a host and a port as a target', () => {
    const command = benchmarkCommand();
    command.parseOptions(['--target', 'http://host:3000/']);
    expect(command.opts()).toMatchObject({ target: 'http://host:3000' });
  });

  it.each([['--profile', 'small'], ['--seed', '2'], ['--fresh'], ['--cpu-prof', 'here']])(
    'refuses %s with a target, which has its own data and processes',
    async (...option) => {
      const said = await refusalOf('--target', 'http://host', ...option);
      expect(said).toContain(`'--target <url>' cannot be used with option '${option[0]}`);
    },
  );
});
