import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Compiles every line of a file. */
class Patterns {
  public static void main(String[] arguments) throws Exception {
    for (String pattern : Files.readAllLines(Path.of(arguments[0]))) Pattern.compile(pattern);
  }
}
