export declare function inTurn<Result>(folder: string, work: () => Result | Promise<Result>): Promise<Result>
