export declare function withFolderLock<Result>(folder: string, work: () => Result | Promise<Result>): Promise<Result>
