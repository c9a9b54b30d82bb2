export default {
  serverExternalPackages: ["hookporter"], // loaded from node_modules, with the files that it needs beside it
};
