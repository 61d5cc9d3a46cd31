import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { Binary, type Document } from 'mongodb';
import { isPlainPassword, signIn } from './scram.js';

const account = { username: 'user', password: 'pencil', source: 'admin' };
const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64');
const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const text = (bytes: Document) => (bytes.payload as Binary).toString('utf8');

/** The server's half of RFC 5802, of a server that knows `password`. */
function serverOf(password: string, { iterations = 4_096, keepsNonce = true, done = true } = {}) {
  let first = '';
  let exchange = '';
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  return async (command: Document): Promise<Document> => {
    if ('saslStart' in command) {
      first = text(command).slice(3);
      const nonce = keepsNonce ? `${first.split('r=')[1]}of-the-server` : 'of-somebody-else';
      exchange = `r=${nonce},s=${salt.toString('base64')},i=${iterations}`;
      return { conversationId: 1, payload: new Binary(Buffer.from(exchange)) };
    }
    const [withoutProof, proof] = text(command).split(',p=') as [string, string];
    const message = `${first},${exchange},${withoutProof}`;
    const clientKey = hmac(salted, 'Client Key');
    const signature = hmac(createHash('sha256').update(clientKey).digest(), message);
    // only a server that knows the password can tell; others would let anybody in
    if (password === account.password)
      expect(proof).toBe(Buffer.from(clientKey.map((byte, at) => byte ^ signature[at]!)).toString('base64'));
    const v = hmac(hmac(salted, 'Server Key'), message).toString('base64');
    return { conversationId: 1, done, payload: new Binary(Buffer.from(`v=${v}`)) };
  };
}

describe('signing in to a database', () => {
  it('proves the password without sending it, to a server that proves it knows it', async () => {
    await expect(signIn(serverOf('pencil'), account)).resolves.toBeUndefined();
  });

  it.each([
    ['knows another password', serverOf('pen')],
    ['answers with a nonce of its own', serverOf('pencil', { keepsNonce: false })],
    ['asks for so few iterations that the password could be guessed', serverOf('pencil', { iterations: 1_000 })],
    ['does not end the conversation', serverOf('pencil', { done: false })],
  ])('trusts no server that %s', async (_, server) => {
    await expect(signIn(server, account)).rejects.toMatchObject({ code: 18 });
  });

  it('knows the passwords that SASLprep leaves alone', () => {
    expect(['pencil', ' ~=,%'].map(isPlainPassword)).toEqual([true, true]);
    expect(['', 'pässword', 'soft\u00adhyphen', 'bell\u0007'].map(isPlainPassword)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
