import { MongoClient } from 'mongodb';
import { BatchChannels } from './batch-channels.js';

describe('channels for the statements of a batch', () => {
  const ask = async (uri: string): Promise<number> => {
    const client = new MongoClient(uri);
    let asked = 0;
    const channels = new BatchChannels(
      () => client,
      () => {
        asked++;
        throw new Error('nobody is there');
      },
    );
    const session = client.startSession();
    channels.starting(session);
    channels.started(session);
    expect(channels.ask({ find: 'rows' }, session)).toBeNull();
    await new Promise((resolve) => setImmediate(resolve));
    await session.endSession();
    await client.close();
    return asked;
  };

  it.each([
    ['a password', 'mongodb://name:secret@127.0.0.1:1/?replicaSet=rs0'],
    ['TLS', 'mongodb://127.0.0.1:1/?replicaSet=rs0&tls=true'],
    ['one server, whatever it is called elsewhere', 'mongodb://127.0.0.1:1/?directConnection=true'],
    ['a topology to be found out', 'mongodb://127.0.0.1:1/'],
  ])('stay closed towards %s: they could not speak to it as the driver does', async (_, uri) => {
    expect(await ask(uri)).toBe(0);
  });

  it('look for the primary of a plain replica set', async () => {
    expect(await ask('mongodb://127.0.0.1:1/?replicaSet=rs0')).toBe(1);
  });
});
