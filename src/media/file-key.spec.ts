import { ObjectId } from 'mongodb';
import { growth, LINEAR } from '../../test/support/growth.js';
import { fileKey, parseFileKey, imageIdsIn } from './file-key.js';

const id = new ObjectId('6650c3a2f1d2b3c4d5e6f70c');
const other = new ObjectId('6650c3a2f1d2b3c4d5e6f70d');
const secret = '9f86d081884c7d65';

describe('keys of files', () => {
  it('are read as they are written', () => {
    for (const type of ['image/jpeg', 'image/png', 'image/webp'] as const) {
      const key = fileKey(id, secret, type, null);
      expect(parseFileKey(key)).toEqual({ key, id, secret, width: null });
    }
    const key = fileKey(id, secret, 'image/png', 640);
    expect(key).toBe(`6650c3a2f1d2b3c4d5e6f70c-${secret}-640.webp`);
    expect(parseFileKey(key)).toEqual({ key, id, secret, width: 640 });
  });

  it.each([
    '',
    'x',
    `${id.toHexString()}.jpg`,
    `${id.toHexString()}-${secret}.svg`,
    `../${fileKey(id, secret, 'image/png', null)}`,
  ])('%p is none', (key) => {
    expect(parseFileKey(key)).toBeNull();
  });
});

describe('images that texts name', () => {
  it('are found under any host and in any notation, each once', () => {
    const small = fileKey(id, secret, 'image/jpeg', 320);
    const large = fileKey(id, secret, 'image/jpeg', null);
    const texts = [
      `![a](https://cdn.example/${small}) and <img src=/v1/media/files/${large}>`,
      null,
      undefined,
      `https://api.example/v1/media/files/${fileKey(other, secret, 'image/webp', null)}?x`,
    ];
    expect(imageIdsIn(texts)).toEqual([id.toHexString(), other.toHexString()]);
    expect(imageIdsIn(['no picture', id.toHexString()])).toEqual([]);
  });

  it.each([
    [`![a](media:${id.toHexString()})`, [id.toHexString()]],
    [`<img src=media:${id.toHexString()}>`, [id.toHexString()]],
    [`![a](multimedia:${id.toHexString()})`, []],
    [`![a](media:${id.toHexString()}0)`, []],
    [`![a](media:${id.toHexString().slice(1)})`, []],
  ])('are found by their ids: %s', (text, found) => {
    expect(imageIdsIn([text])).toEqual(found);
  });

  it('are at most 500', () => {
    const many = Array.from({ length: 600 }, () => fileKey(new ObjectId(), secret, 'image/png', null)).join(' ');
    expect(imageIdsIn([many])).toHaveLength(500);
  });

  it.each(['0123456789abcdef', 'media:', `${'a'.repeat(24)}-`])('take linear time in a text of many %s', (piece) => {
    expect(growth(200_000, (length) => imageIdsIn([piece.repeat(length / piece.length)]))).toBeLessThan(LINEAR);
  });
});
