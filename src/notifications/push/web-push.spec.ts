import { createECDH, createPublicKey, randomBytes } from 'node:crypto';
import { createVerifier } from 'fast-jwt';
import { areSubscriptionKeys, encryptPush, Vapid } from './web-push.js';

/** RFC 8291, appendix A. */
const VECTOR = {
  text: 'When I grow up, I want to be a watermelon',
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
  privateKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6' +
    'cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

describe('Web Push', () => {
  it('encrypts as the example of RFC 8291', () => {
    const once = {
      privateKey: Buffer.from(VECTOR.privateKey, 'base64url'),
      salt: Buffer.from(VECTOR.salt, 'base64url'),
    };

    expect(encryptPush(VECTOR.text, VECTOR.keys, once).toString('base64url')).toBe(VECTOR.body);
  });

  it('accepts only keys of the curve with a secret of 16 bytes', () => {
    const { p256dh, auth } = VECTOR.keys;
    const off = `${p256dh.slice(0, 20)}AAAAAAAA${p256dh.slice(28)}`;

    expect([p256dh, off, p256dh.slice(4)].map((key) => areSubscriptionKeys({ p256dh: key, auth }))).toEqual([
      true,
      false,
      false,
    ]);
    expect(areSubscriptionKeys({ p256dh, auth: auth.slice(4) })).toBe(false);
  });

  it('signs for the origin of the push service with the published key', () => {
    const pair = createECDH('prime256v1');
    pair.setPrivateKey(randomBytes(32));
    const vapid = new Vapid(pair.getPrivateKey(), 'mailto:ops@example.org');

    const [, token, key] = /^vapid t=(.+), k=(.+)$/.exec(vapid.authorizationFor('https://push.example.org/a?b'))!;

    const point = Buffer.from(key!, 'base64url');
    expect([key, point.equals(pair.getPublicKey())]).toEqual([vapid.publicKey, true]);
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
    const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' });
    const verify = createVerifier({ key: publicKey.export({ type: 'spki', format: 'pem' }), algorithms: ['ES256'] });
    expect(verify(token!)).toMatchObject({ aud: 'https://push.example.org', sub: 'mailto:ops@example.org' });
  });
});
