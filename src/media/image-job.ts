import type { FileType } from './file-key.js';

export type PictureLimits = {
  /** CPU, not time: an image takes longer on a busy host */
  cpuMs: number;
  memoryBytes: number;
};

/** A file to decode, and the directory for the results. */
export type PictureJob = { source: string; directory: string; limits: PictureLimits };

export type PictureFile = {
  /** in the directory of the job */
  name: string;
  width: number;
  height: number;
  bytes: number;
  type: FileType;
};

/** Upright, without metadata, in sRGB. */
export type Picture = {
  original: PictureFile;
  /** WebP, the smallest first; none is wider than the original */
  variants: PictureFile[];
  placeholder: string;
};

/** `refusal`: a fault of the file. `problem`: a fault of the server. */
export type PictureResult = { picture: Picture } | { refusal: string } | { problem: string };
