import { ObjectId } from 'mongodb';
import { pairId } from './pair-id.js';

const a = new ObjectId('64b000000000000000000001');
const b = new ObjectId('64b000000000000000000002');

describe('pairId', () => {
  it('differs when the pair is reversed', () => {
    expect(pairId(a, b).toString('hex')).toBe(a.toHexString() + b.toHexString());
    expect(pairId(a, b).toString('hex')).not.toBe(pairId(b, a).toString('hex'));
  });
});
