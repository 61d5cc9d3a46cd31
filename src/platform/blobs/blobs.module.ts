// Bytes that are too large for a row, in GridFS, so that every host can read the files of the others.
import { Module } from '@nestjs/common';
import { MongoService } from '../mongo/mongo.service.js';
import { BlobStore } from './blob-store.js';

@Module({
  providers: [
    { provide: BlobStore, inject: [MongoService], useFactory: (mongo: MongoService) => new BlobStore(mongo, 'blobs') },
  ],
  exports: [BlobStore],
})
export class BlobsModule {}
