// Writes an OpenCanvas database of the size of the published case (1.42 million documents), or a part of it (20: a twentieth), to measure
// `cli import opencanvas`: node dist/benchmarks/data/opencanvas-source.js mongodb://127.0.0.1:27017 opencanvas_source [20]
import { MongoClient } from 'mongodb';
import { CASE_SIZES, OpenCanvasSource, type SourceSizes } from '../../test/support/opencanvas-source.js';

const [uri, database, divisor = '1'] = process.argv.slice(2);
if (uri === undefined || database === undefined) throw new Error('Say the address of a MongoDB and the database.');
const sizes = Object.entries(CASE_SIZES).map(([kind, count]) => [kind, Math.floor(count / Number(divisor))]);
const client = await MongoClient.connect(uri);
await new OpenCanvasSource(Object.fromEntries(sizes) as SourceSizes).write(client.db(database));
await client.close();
