// Writes an OpenCanvas database of the size of the published case (1.42 million documents), to measure `cli import opencanvas`:
// node dist/benchmarks/data/opencanvas-source.js mongodb://127.0.0.1:27017 opencanvas_source
import { MongoClient } from 'mongodb';
import { CASE_SIZES, OpenCanvasSource } from '../../test/support/opencanvas-source.js';

const [uri, database] = process.argv.slice(2);
if (uri === undefined || database === undefined) throw new Error('Say the address of a MongoDB and the database.');
const client = await MongoClient.connect(uri);
await new OpenCanvasSource(CASE_SIZES).write(client.db(database));
await client.close();
