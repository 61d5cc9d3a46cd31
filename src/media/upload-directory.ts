import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { diskStorage, type MultipartStorageEngine } from '@nestjs/platform-fastify/multipart';
import { AppConfig } from '../config/app-config.js';

/** No running upload is this old. */
const ORPHAN_AGE_MS = 3_600_000;

/** Directory for uploads during processing, on the disk of this host. */
@Injectable()
export class UploadDirectory implements OnApplicationBootstrap {
  private readonly path: string;

  constructor({ media }: AppConfig) {
    this.path = media.directory;
  }

  /** Deletes the files of killed processes. */
  async onApplicationBootstrap(): Promise<void> {
    for (const name of await readdir(this.path).catch(() => [])) {
      const path = join(this.path, name);
      const before = await stat(path).catch(() => null);
      const isLeft = before !== null && before.mtimeMs < Date.now() - ORPHAN_AGE_MS;
      if (isLeft) await rm(path, { recursive: true, force: true });
    }
  }

  /** Creates a directory for `work`, and deletes the directory with its files afterwards. */
  async use<T>(work: (directory: string) => Promise<T>): Promise<T> {
    await makeDirectory(this.path);
    const directory = await mkdtemp(join(this.path, 'picture-'));
    try {
      return await work(directory);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }
}

/** Returns a storage that writes files into the directory and creates the directory on first use. */
export function storageIn(directory: string): MultipartStorageEngine {
  return diskStorage({
    destination: (_request, _file, done) => {
      makeDirectory(directory).then(
        () => done(null, directory),
        (error: Error) => done(error, ''),
      );
    },
  });
}

/** Creates a directory that other users of the machine cannot read, because original images contain GPS positions. */
async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}
