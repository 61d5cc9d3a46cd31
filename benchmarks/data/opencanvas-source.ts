// Writes an OpenCanvas database of the size of the published case (1.42 million documents), to measure `cli import opencanvas`, or a
// hundredth of it (`small`): node dist/benchmarks/data/opencanvas-source.js mongodb://127.0.0.1:27017 opencanvas_source [small]
import { MongoClient } from 'mongodb';
import { CASE_SIZES, OpenCanvasSource, type SourceSizes } from '../../test/support/opencanvas-source.js';

const [uri, database, size] = process.argv.slice(2);
if (uri === undefined || database === undefined) throw new Error('Say the address of a MongoDB and the database.');
const hundredth = Object.entries(CASE_SIZES).map(([kind, count]) => [kind, count / 100]);
const sizes = size === 'small' ? (Object.fromEntries(hundredth) as SourceSizes) : CASE_SIZES;
const client = await MongoClient.connect(uri);
await new OpenCanvasSource(sizes).write(client.db(database));
await client.close();
