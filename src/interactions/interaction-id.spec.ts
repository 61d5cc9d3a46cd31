import { ObjectId } from 'mongodb';
import { interactionId } from './interaction-id.js';

const a = new ObjectId('64b000000000000000000001');
const b = new ObjectId('64b000000000000000000002');

describe('interactionId', () => {
  it('never equals the id of a vote for a save or a follow', () => {
    expect(interactionId(a, 'vote', b).toString('hex')).toBe(`${a.toHexString()}01${b.toHexString()}`);
    expect(interactionId(a, 'save', b).toString('hex')).toBe(`${a.toHexString()}02${b.toHexString()}`);
    expect(interactionId(a, 'follow', b).toString('hex')).toBe(`${a.toHexString()}03${b.toHexString()}`);
    expect(interactionId(a, 'save', b).length()).toBe(25);
  });
});
