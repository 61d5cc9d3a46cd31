import type { FileType } from './file-key.js';

export type ImageLimits = {
  /** CPU time, because an image takes longer on a busy host */
  cpuMs: number;
  memoryBytes: number;
};

/** A file to decode, and the directory for the results. */
export type ImageJob = { source: string; directory: string; limits: ImageLimits };

export type ImageFile = {
  /** relative to the directory of the job */
  name: string;
  width: number;
  height: number;
  bytes: number;
  type: FileType;
};

/** Upright, without metadata, in sRGB. */
export type ProcessedImage = {
  original: ImageFile;
  /** WebP, the smallest first; none is wider than the original */
  variants: ImageFile[];
  placeholder: string;
};

/** `refusal`: a fault of the file. `problem`: a fault of the server. */
export type ImageResult = { image: ProcessedImage } | { refusal: string } | { problem: string };
