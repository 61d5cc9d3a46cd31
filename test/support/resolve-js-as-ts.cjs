const Module = require('node:module');

/**
 * Jest loads its global setup with `require` and turns each .ts file into CommonJS on the way, but knows nothing of our ESM habit of
 * importing `./thing.js` where `thing.ts` lies (the moduleNameMapper is for specs only). Imported first, this closes the gap.
 */
const resolveFilename = Module._resolveFilename;

Module._resolveFilename = function (request, ...rest) {
  try {
    return resolveFilename.call(this, request, ...rest);
  } catch (error) {
    if (!/^\.{1,2}\/.*\.js$/.test(request)) throw error;
    return resolveFilename.call(this, request.replace(/\.js$/, '.ts'), ...rest);
  }
};
