import type { CliContext } from "../context.ts";
import { COMPLETE, FILES, type Shell } from "./completion-options.ts";

/**
 * The script of each shell. It knows nothing itself: it asks the program that is being typed, so
 * the two cannot differ. An answer has a line for each word: the word, a tab, and what it is.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# hookporter's completion for bash: save it to a file, which ~/.bashrc sources
_hookporter() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" line
  # bash takes = as a word of its own.
  [[ $cur == "=" ]] && cur=""
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == "${FILES}" ]]; then
      compopt -o filenames 2> /dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <("\${COMP_WORDS[0]}" ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -F _hookporter hookporter
`,
  zsh: `#compdef hookporter
# hookporter's completion for zsh: save it as _hookporter in a folder of fpath, or source it after compinit
_hookporter() {
  local -a found
  local line files=""
  while IFS= read -r line; do
    if [[ $line == "${FILES}" ]]; then
      files=1
    else
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done < <("\${words[1]}" ${COMPLETE} "\${(@)words[2,CURRENT]}" 2> /dev/null)
  local code=1
  (( $#found )) && _describe hookporter found && code=0
  [[ -n $files ]] && _files && code=0
  return code
}
if [[ $funcstack[1] == _hookporter ]]; then
  _hookporter "$@"
else
  compdef _hookporter hookporter
fi
`,
  fish: `# hookporter's completion for fish: save it as ~/.config/fish/completions/hookporter.fish
function __hookporter_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  for line in ($words[1] ${COMPLETE} $words[2..] "$current" 2> /dev/null)
    if test "$line" = "${FILES}"
      __fish_complete_path "$current"
    else
      echo $line
    end
  end
end
complete -c hookporter -f -a '(__hookporter_complete)'
`,
  powershell: `# hookporter's completion for PowerShell: hookporter completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName hookporter -ScriptBlock {
  param($current, $ast, $cursor)
  $words = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object {
    if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { "$_" }
  })
  $program, $before = $words
  # Before 7.3, PowerShell passes no empty word.
  $last = if ($current -eq '' -and $PSVersionTable.PSVersion -lt '7.3') { '""' } else { "$current" }
  & $program ${COMPLETE} @before $last 2> $null | ForEach-Object {
    if ($_ -eq '${FILES}') { return [System.Management.Automation.CompletionCompleters]::CompleteFilename($current) }
    $word, $about = $_ -split "\t", 2
    if (-not $about) { $about = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $about)
  }
}
`,
};

export async function printCompletion(shell: Shell, { output }: CliContext): Promise<void> {
  const script = SCRIPTS[shell];
  output.data(script.trimEnd());
  output.record("completion", { shell, script });
}
