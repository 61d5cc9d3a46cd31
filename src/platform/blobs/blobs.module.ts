// Bytes that rooms keep and that are too large for a row. GridFS, so that every host can read what another one wrote.
import { Global, Module } from '@nestjs/common';
import { BlobStore } from './blob-store.js';

@Global()
@Module({ providers: [BlobStore], exports: [BlobStore] })
export class BlobsModule {}
