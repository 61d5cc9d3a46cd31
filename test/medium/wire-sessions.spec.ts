import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient, type MongoClientOptions } from 'mongodb';
import mongoose from 'mongoose';
import { findFreePort } from '../../src/platform/mongo/free-port.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { signIn } from '../../src/platform/mongo/scram.js';
import { WireConnection } from '../../src/platform/mongo/wire-connection.js';
import { testMongodBinary } from '../support/mongo.js';
import { describeWith } from '../support/optional.js';

type Row = { _id: string; n: number };

const PASSWORD = 'a = b, c / 100%';
const UNUSUAL = 'pässwörd';

// A server as production has them, with TLS and passwords: what cannot be signed in to in our own way still works in the driver's.
describeWith('openssl', 'batch transactions on a server that asks for TLS and a password', (opensslPath) => {
  let directory: string;
  let mongod: ChildProcess;
  let port: number;
  let tls: MongoClientOptions;
  const opened: mongoose.Connection[] = [];

  const openssl = (...args: string[]) => execFileSync(opensslPath, args, { stdio: 'ignore' });
  const file = (name: string) => join(directory, name);

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'opencanvas-tls-'));
    mkdirSync(file('db'));
    const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', file('key'), '-out', file('cert')];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    openssl('req', '-x509', '-days', '2', ...key, ...names);
    writeFileSync(file('both'), readFileSync(file('key'), 'utf8') + readFileSync(file('cert'), 'utf8'));
    writeFileSync(file('members'), randomBytes(96).toString('base64'), { mode: 0o600 });
    port = await findFreePort();
    const args = [
      ...['--replSet', 'safe', '--bind_ip', '127.0.0.1', '--port', String(port), '--nounixsocket', '--quiet'],
      ...['--dbpath', file('db'), '--logpath', file('log'), '--wiredTigerCacheSizeGB', '0.25', '--oplogSize', '64'],
      ...['--auth', '--keyFile', file('members'), '--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', file('both')],
      ...['--tlsCAFile', file('cert'), '--tlsAllowConnectionsWithoutCertificates'],
    ];
    mongod = spawn(testMongodBinary(), args, { stdio: 'ignore' });
    tls = { tls: true, tlsCAFile: file('cert') };
    const local = new MongoClient(`mongodb://localhost:${port}/?directConnection=true`, tls);
    const admin = local.db('admin');
    await admin.command({ replSetInitiate: { _id: 'safe', members: [{ _id: 0, host: `localhost:${port}` }] } });
    while (!(await admin.command({ hello: 1 })).isWritablePrimary)
      await new Promise((resolve) => setTimeout(resolve, 50));
    // the server lets somebody on its own machine make the first account
    await admin.command({ createUser: 'root', pwd: PASSWORD, roles: ['root'] });
    await local.close();
    const root = await new MongoClient(uri('root', PASSWORD), tls).connect();
    const roles = [{ role: 'readWrite', db: 'press' }];
    const users: [string, string, string[]][] = [
      ['a=b,c', PASSWORD, ['SCRAM-SHA-256']],
      ['old', PASSWORD, ['SCRAM-SHA-1']],
      ['unusual', UNUSUAL, ['SCRAM-SHA-256']],
    ];
    for (const [name, pwd, mechanisms] of users)
      await root.db('admin').command({ createUser: name, pwd, roles, mechanisms });
    await root.close();
  }, 60_000);
  afterAll(async () => {
    for (const connection of opened) await connection.close();
    const ended = once(mongod, 'exit');
    mongod.kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true });
  });

  const uri = (name: string, password: string) =>
    `mongodb://${encodeURIComponent(name)}:${encodeURIComponent(password)}@localhost:${port}/press?replicaSet=safe&authSource=admin`;
  const open = async (name: string, password: string) => {
    const connection = await mongoose.createConnection(uri(name, password), { ...tls, dbName: 'press' }).asPromise();
    opened.push(connection);
    return new MongoService(connection);
  };

  it.each([
    ['an account that signs in with SCRAM-SHA-256: over a connection of our own', 'a=b,c', PASSWORD, true],
    ['an account that only has SCRAM-SHA-1: by the driver', 'old', PASSWORD, false],
    ['a password that SASLprep might change: by the driver', 'unusual', UNUSUAL, false],
  ])('are committed for %s', async (_, name, password, isOurs) => {
    const mongo = await open(name, password);
    const commands: string[] = [];
    mongo.wireSessions.watch = (command) => commands.push(Object.keys(command)[0]!);
    const rows = mongo.collection<Row>('rows');
    const addOne = () =>
      mongo.batchTransaction((session) =>
        Promise.all([
          mongo.batch.update(rows, [{ q: { _id: name }, u: { $inc: { n: 1 } }, upsert: true }], session),
          mongo.batch.find<Row>(rows, { _id: name }, {}, 1, session),
        ]),
      );
    await mongo.db.createCollection('rows').catch(() => undefined);
    expect(await addOne()).toEqual([1, [{ _id: name, n: 1 }]]);
    expect(await addOne()).toEqual([1, [{ _id: name, n: 2 }]]);
    expect(await rows.findOne({ _id: name })).toEqual({ _id: name, n: 2 });
    expect(commands.filter((command) => command === 'commitTransaction')).toHaveLength(isOurs ? 2 : 0);
    expect(mongo.wireSessions.take() !== null).toBe(isOurs);
  });

  it('refuses a wrong password with the server’s own words, and a certificate that nobody vouches for', async () => {
    const bounds = { host: 'localhost', port, connectTimeoutMs: 2_000, socketTimeoutMs: 2_000 };
    const connection = await WireConnection.open({ ...bounds, tls: { ca: readFileSync(file('cert')) } });
    const account = { username: 'root', password: 'not this one', source: 'admin' };
    const attempt = signIn((command) => connection.command(command), account);
    await expect(attempt).rejects.toMatchObject({ code: 18, message: 'Authentication failed.' });
    connection.close();
    await expect(WireConnection.open({ ...bounds, tls: {} })).rejects.toThrow(/self-signed certificate/);
  });
});
