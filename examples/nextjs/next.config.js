export default {
  // loaded from node_modules, with the files that it needs beside it
  serverExternalPackages: ["hookporter"],
};
