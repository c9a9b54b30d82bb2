import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Receivers on Java's own server: a right one, and common mistakes by RECEIVER_VARIANT. */
public class Receiver {
  static final byte[] SECRET = System.getenv("RECEIVER_SECRET").getBytes(StandardCharsets.UTF_8);
  static final String VARIANT = System.getenv("RECEIVER_VARIANT");
  static final int LIMIT = 1 << 20;
  static final Map<String, Set<String>> RUNS = new ConcurrentHashMap<>();
  /** Java has no JSON parser; these find what the receiver needs. */
  static final Pattern ID = Pattern.compile("\"id\"\\s*:\\s*\"(prop_[^\"]*)\"");
  static final Pattern EVENT = Pattern.compile("\"event\"\\s*:\\s*\"");

  public static void main(String[] given) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/webhooks", exchange -> {
      int status;
      try {
        status = receive(exchange);
      } catch (Exception thrown) {
        status = 500;
      }
      exchange.sendResponseHeaders(status, -1);
      exchange.close();
    });
    server.createContext("/runs", exchange -> {
      String marker = exchange.getRequestURI().getQuery().replace("marker=", "");
      byte[] count = String.valueOf(RUNS.getOrDefault(marker, Set.of()).size()).getBytes();
      exchange.sendResponseHeaders(200, count.length);
      exchange.getResponseBody().write(count);
      exchange.close();
    });
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.start();
    System.out.println(server.getAddress().getPort());
  }

  static int receive(HttpExchange exchange) throws Exception {
    if (!exchange.getRequestURI().getPath().equals("/webhooks")) return 404;
    if (!exchange.getRequestMethod().equals("POST")) return 405;
    byte[] body = exchange.getRequestBody().readNBytes(LIMIT + 1);
    if (body.length > LIMIT) return 413;
    String text = new String(body, StandardCharsets.UTF_8);
    byte[] signed = VARIANT.equals("text") ? text.getBytes(StandardCharsets.UTF_8) : body;
    String signature = exchange.getRequestHeaders().getFirst("X-Service-Signature");
    byte[] expected = signature(signed).getBytes(StandardCharsets.UTF_8);
    if (signature == null) return 401;
    if (!MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8))) return 401;
    Matcher id = ID.matcher(text);
    if (!EVENT.matcher(text).find() || !id.find()) return 200; // another kind, which it does not handle
    RUNS.computeIfAbsent(id.group(1), key -> ConcurrentHashMap.newKeySet()).add(text);
    return 200;
  }

  static String signature(byte[] body) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
    return "sha256=" + String.format("%064x", new BigInteger(1, mac.doFinal(body)));
  }
}
