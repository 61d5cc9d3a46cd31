import java.nio.file.Path;
import java.util.List;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;

/** One node of OpenSearch without a distribution: `java -cp 'LIBS/*' Launcher.java DIRECTORY KEY=VALUE…` */
class Launcher extends Node {
  Launcher(Environment environment) {
    super(environment, List.of(Netty4Plugin.class), true);
  }

  public static void main(String[] arguments) throws Exception {
    Settings.Builder settings = Settings.builder().put("path.home", arguments[0]).put("node.name", "test");
    for (int at = 1; at < arguments.length; at++) {
      String[] pair = arguments[at].split("=", 2);
      settings.put(pair[0], pair[1]);
    }
    new Launcher(new Environment(settings.build(), Path.of(arguments[0], "config"))).start();
    Thread.currentThread().join();
  }
}
