import type { FileType } from './file-key.js';

export type PictureLimits = {
  /** CPU and not time: on a busy host an image takes longer by no fault of its own */
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

/** Upright, without any metadata, in sRGB. */
export type Picture = {
  original: PictureFile;
  /** WebP, the smallest first; none wider than the original */
  variants: PictureFile[];
  placeholder: string;
};

/** `refusal`: a fault of the file. `problem`: a fault of the server. */
export type PictureAnswer = { picture: Picture } | { refusal: string } | { problem: string };
