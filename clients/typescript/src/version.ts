/** The version of the package, the same as that of the server. */
export const VERSION = "0.1.0";
