import { byteRangeOf } from './file-response.js';

describe('a Range header of a file of 100 bytes', () => {
  it.each([
    ['bytes=0-9', { start: 0, end: 10 }],
    ['bytes=90-', { start: 90, end: 100 }],
    ['bytes=90-500', { start: 90, end: 100 }],
    ['bytes=-10', { start: 90, end: 100 }],
    ['bytes=-500', { start: 0, end: 100 }],
    ['bytes=100-', 'none'],
    ['bytes=100-200', 'none'],
    ['bytes=9-0', null],
    ['bytes=-0', 'none'],
    ['bytes=-', null],
    ['bytes=0-1,5-6', null],
    ['lines=0-1', null],
    [undefined, null],
  ])('%s is %j', (header, range) => {
    expect(byteRangeOf(header, 100)).toEqual(range);
  });
});
