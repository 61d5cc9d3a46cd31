import { Injectable } from '@nestjs/common';

type Source = {
  find: (viewerId: string) => boolean | undefined;
  load: (viewerId: string) => Promise<boolean>;
};

/** Finds out whether lists omit content for a viewer, who then gets no shared response. BlocksModule registers its source here. */
@Injectable()
export class ListFilterPort {
  private source: Source | undefined;

  register(source: Source): void {
    this.source = source;
  }

  /** Looks into a map. Returns undefined if the filter of the viewer is not loaded. */
  find(viewerId: string): boolean | undefined {
    return this.source === undefined ? false : this.source.find(viewerId);
  }

  /** Loads the filter of a viewer. Callers look with `find` first. */
  async load(viewerId: string): Promise<boolean> {
    return this.source === undefined ? false : this.source.load(viewerId);
  }
}
