import { requireOpenFiles } from './embedded-mongod.js';

describe('requireOpenFiles', () => {
  const limitsOf = (open: string) =>
    `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${open}   files`;

  it('refuses a limit with which mongod aborts', () => {
    expect(() => requireOpenFiles(limitsOf('256                  256'))).toThrow(
      'This process may open 256 files, and the embedded MongoDB needs at least 1024: raise the limit',
    );
  });

  it.each([limitsOf('1024                 524288'), limitsOf('unlimited            unlimited'), ''])(
    'accepts %j',
    (limits) => expect(() => requireOpenFiles(limits)).not.toThrow(),
  );
});
